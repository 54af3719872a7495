-- version_word_values: what both versions of a corpus have in each column of their aligned words; one row per pair of words
--   and column.
-- kind: relation
-- engine: kernel: version_words
-- parameters: as version_sentences
-- column old_sentence INTEGER: sentence of the old version
-- column old_word INTEGER: position in it
-- column new_sentence INTEGER: sentence of the new version
-- column new_word INTEGER: position in it
-- column form VARCHAR: the old word
-- column upos VARCHAR: its part of speech in the old version
-- column deprel VARCHAR: its relation in the old version
-- column column_number INTEGER: number of the row of the column in version_agreement
-- column column_name VARCHAR: form, lemma, upos, xpos, feats, head, deprel, deps or misc
-- column old_value VARCHAR: value in the old version, `_` where it is unspecified; of head, position and form of the head
-- column new_value VARCHAR: value in the new version, likewise
-- column old_label VARCHAR: what is counted: the value; of head, the part of speech of the head, ROOT for a root; of
--   deps, the relations
-- column new_label VARCHAR: the same of the new version
-- column same_value BIGINT: 1 if the values are equal; of head and deps, if the heads are aligned with each other
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format
SELECT v.old_sentence, v.old_word, v.new_sentence, v.new_word, v.form, v.upos, v.deprel, v.item.number AS column_number,
       v.item.name AS column_name, v.item.old_value AS old_value, v.item.new_value AS new_value,
       v.item.old_label AS old_label, v.item.new_label AS new_label,
       CAST(v.item.same_value AS BIGINT) AS same_value
FROM (SELECT p.old_sentence, p.old_word, p.new_sentence, p.new_word, p.old_form AS form, p.upos, p.deprel,
             unnest([
                 {'number': 11, 'name': 'form', 'old_value': p.old_form, 'new_value': p.new_form, 'old_label': p.old_form,
                  'new_label': p.new_form, 'same_value': p.same_form},
                 {'number': 12, 'name': 'lemma', 'old_value': p.old_lemma, 'new_value': p.new_lemma, 'old_label': p.old_lemma,
                  'new_label': p.new_lemma, 'same_value': p.same_lemma},
                 {'number': 13, 'name': 'upos', 'old_value': p.old_upos, 'new_value': p.new_upos, 'old_label': p.old_upos,
                  'new_label': p.new_upos, 'same_value': p.same_upos},
                 {'number': 14, 'name': 'xpos', 'old_value': p.old_xpos, 'new_value': p.new_xpos, 'old_label': p.old_xpos,
                  'new_label': p.new_xpos, 'same_value': p.same_xpos},
                 {'number': 15, 'name': 'feats', 'old_value': p.old_feats, 'new_value': p.new_feats, 'old_label': p.old_feats,
                  'new_label': p.new_feats, 'same_value': p.same_feats},
                 {'number': 16, 'name': 'head', 'old_value': p.old_head, 'new_value': p.new_head, 'old_label': p.old_head_upos,
                  'new_label': p.new_head_upos, 'same_value': p.same_head},
                 {'number': 17, 'name': 'deprel', 'old_value': p.old_deprel, 'new_value': p.new_deprel, 'old_label': p.old_deprel,
                  'new_label': p.new_deprel, 'same_value': p.same_deprel},
                 {'number': 18, 'name': 'deps', 'old_value': p.old_deps, 'new_value': p.new_deps, 'old_label': p.old_relations,
                  'new_label': p.new_relations, 'same_value': p.same_deps},
                 {'number': 19, 'name': 'misc', 'old_value': p.old_misc, 'new_value': p.new_misc, 'old_label': p.old_misc,
                  'new_label': p.new_misc, 'same_value': p.same_misc}]) AS item
      FROM version_word_columns AS p) AS v
