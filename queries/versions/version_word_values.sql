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
FROM (SELECT p.old_sentence, p.old_word, p.new_sentence, p.new_word, o.form, o.upos, o.deprel,
             unnest([
                 {'number': 11, 'name': 'form', 'old_value': o.form, 'new_value': n.form,
                  'old_label': o.form, 'new_label': n.form, 'same_value': o.form = n.form},
                 {'number': 12, 'name': 'lemma', 'old_value': coalesce(o.lemma, '_'), 'new_value': coalesce(n.lemma, '_'),
                  'old_label': coalesce(o.lemma, '_'), 'new_label': coalesce(n.lemma, '_'),
                  'same_value': o.lemma IS NOT DISTINCT FROM n.lemma},
                 {'number': 13, 'name': 'upos', 'old_value': coalesce(o.upos, '_'), 'new_value': coalesce(n.upos, '_'),
                  'old_label': coalesce(o.upos, '_'), 'new_label': coalesce(n.upos, '_'),
                  'same_value': o.upos IS NOT DISTINCT FROM n.upos},
                 {'number': 14, 'name': 'xpos', 'old_value': coalesce(o.xpos, '_'), 'new_value': coalesce(n.xpos, '_'),
                  'old_label': coalesce(o.xpos, '_'), 'new_label': coalesce(n.xpos, '_'),
                  'same_value': o.xpos IS NOT DISTINCT FROM n.xpos},
                 {'number': 15, 'name': 'feats', 'old_value': coalesce(o.feats, '_'), 'new_value': coalesce(n.feats, '_'),
                  'old_label': coalesce(o.feats, '_'), 'new_label': coalesce(n.feats, '_'),
                  'same_value': o.feats IS NOT DISTINCT FROM n.feats},
                 {'number': 16, 'name': 'head',
                  'old_value': coalesce(CAST(o.head AS VARCHAR) || ' ' || coalesce(f.form, 'ROOT'), '_'),
                  'new_value': coalesce(CAST(n.head AS VARCHAR) || ' ' || coalesce(g.form, 'ROOT'), '_'),
                  'old_label': CASE WHEN o.head = 0 THEN 'ROOT' ELSE coalesce(f.upos, '_') END,
                  'new_label': CASE WHEN n.head = 0 THEN 'ROOT' ELSE coalesce(g.upos, '_') END,
                  'same_value': CASE WHEN o.head IS NULL OR o.head = 0 THEN o.head IS NOT DISTINCT FROM n.head
                                     ELSE coalesce(h.new_sentence = p.new_sentence AND h.new_word = n.head, false) END},
                 {'number': 17, 'name': 'deprel', 'old_value': coalesce(o.deprel, '_'),
                  'new_value': coalesce(n.deprel, '_'), 'old_label': coalesce(o.deprel, '_'),
                  'new_label': coalesce(n.deprel, '_'), 'same_value': o.deprel IS NOT DISTINCT FROM n.deprel},
                 {'number': 18, 'name': 'deps', 'old_value': coalesce(o.deps, '_'), 'new_value': coalesce(n.deps, '_'),
                  'old_label': coalesce(d.edge_relations, '_'), 'new_label': coalesce(e.edge_relations, '_'),
                  'same_value': d.edges IS NOT DISTINCT FROM e.edges},
                 {'number': 19, 'name': 'misc', 'old_value': coalesce(o.misc, '_'), 'new_value': coalesce(n.misc, '_'),
                  'old_label': coalesce(o.misc, '_'), 'new_label': coalesce(n.misc, '_'),
                  'same_value': o.misc IS NOT DISTINCT FROM n.misc}]) AS item
      FROM version_words AS p
      JOIN words AS o ON o.corpus = $old_corpus AND o.sentence = p.old_sentence AND o.word = p.old_word
      JOIN words AS n ON n.corpus = $new_corpus AND n.sentence = p.new_sentence AND n.word = p.new_word
      LEFT JOIN version_words AS h ON h.old_sentence = p.old_sentence AND h.old_word = o.head
      LEFT JOIN words AS f ON f.corpus = $old_corpus AND f.sentence = p.old_sentence AND f.word = o.head
      LEFT JOIN words AS g ON g.corpus = $new_corpus AND g.sentence = p.new_sentence AND g.word = n.head
      LEFT JOIN version_mapped_deps AS d
          ON d.old_sentence = p.old_sentence AND d.old_word = p.old_word AND d.old_index = 0
      LEFT JOIN version_new_deps AS e
          ON e.new_sentence = p.new_sentence AND e.new_word = p.new_word AND e.new_index = 0) AS v
