-- version_node_values: what both versions of a corpus have in each column of their aligned empty nodes; one row per pair of
--   nodes and column in which a version has a value.
-- kind: relation
-- engine: kernel: version_words
-- parameters: as version_sentences
-- column old_sentence INTEGER: sentence of the old version
-- column old_word INTEGER: the word that the node follows
-- column new_sentence INTEGER: sentence of the new version
-- column new_word INTEGER: the same in the new version
-- column form VARCHAR: the node in the old version, as `4.1 FORM`
-- column column_number INTEGER: number of the row of the column in version_agreement
-- column column_name VARCHAR: empty_form, empty_lemma, empty_upos, empty_xpos, empty_feats, empty_deps, empty_misc or
--   empty_further_columns
-- column old_value VARCHAR: value in the old version, `_` where there is none
-- column new_value VARCHAR: value in the new version, likewise
-- column same_value BIGINT: 1 if the values are equal; of empty_deps, if the heads are aligned with each other
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format
SELECT v.old_sentence, v.old_word, v.new_sentence, v.new_word, v.form, v.item.number AS column_number,
       v.item.name AS column_name, coalesce(v.item.old_value, '_') AS old_value,
       coalesce(v.item.new_value, '_') AS new_value, CAST(v.item.same_value AS BIGINT) AS same_value
FROM (SELECT p.old_sentence, p.old_word, p.new_sentence, p.new_word,
             CAST(p.old_word AS VARCHAR) || '.' || CAST(p.old_index AS VARCHAR) || ' ' || coalesce(o.form, '_') AS form,
             unnest([
                 {'number': 61, 'name': 'empty_form', 'old_value': o.form, 'new_value': n.form,
                  'same_value': o.form IS NOT DISTINCT FROM n.form},
                 {'number': 62, 'name': 'empty_lemma', 'old_value': o.lemma, 'new_value': n.lemma,
                  'same_value': o.lemma IS NOT DISTINCT FROM n.lemma},
                 {'number': 63, 'name': 'empty_upos', 'old_value': o.upos, 'new_value': n.upos,
                  'same_value': o.upos IS NOT DISTINCT FROM n.upos},
                 {'number': 64, 'name': 'empty_xpos', 'old_value': o.xpos, 'new_value': n.xpos,
                  'same_value': o.xpos IS NOT DISTINCT FROM n.xpos},
                 {'number': 65, 'name': 'empty_feats', 'old_value': o.feats, 'new_value': n.feats,
                  'same_value': o.feats IS NOT DISTINCT FROM n.feats},
                 {'number': 66, 'name': 'empty_deps', 'old_value': o.deps, 'new_value': n.deps,
                  'same_value': d.edges IS NOT DISTINCT FROM e.edges},
                 {'number': 67, 'name': 'empty_misc', 'old_value': o.misc, 'new_value': n.misc,
                  'same_value': o.misc IS NOT DISTINCT FROM n.misc},
                 {'number': 68, 'name': 'empty_further_columns', 'old_value': j.further, 'new_value': k.further,
                  'same_value': j.further IS NOT DISTINCT FROM k.further}]) AS item
      FROM version_empty_nodes AS p
      JOIN empty_nodes AS o
          ON o.corpus = $old_corpus AND o.sentence = p.old_sentence AND o.word = p.old_word AND o.index = p.old_index
      JOIN empty_nodes AS n
          ON n.corpus = $new_corpus AND n.sentence = p.new_sentence AND n.word = p.new_word AND n.index = p.new_index
      LEFT JOIN version_mapped_deps AS d
          ON d.old_sentence = p.old_sentence AND d.old_word = p.old_word AND d.old_index = p.old_index
      LEFT JOIN version_new_deps AS e
          ON e.new_sentence = p.new_sentence AND e.new_word = p.new_word AND e.new_index = p.new_index
      LEFT JOIN version_further_columns(side_corpus := $old_corpus) AS j
          ON j.unit = 'empty_node' AND j.sentence = p.old_sentence AND j.word = p.old_word AND j.node = p.old_index
      LEFT JOIN version_further_columns(side_corpus := $new_corpus) AS k
          ON k.unit = 'empty_node' AND k.sentence = p.new_sentence AND k.word = p.new_word AND k.node = p.new_index) AS v
WHERE v.item.old_value IS NOT NULL OR v.item.new_value IS NOT NULL
