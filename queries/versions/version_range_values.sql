-- version_range_values: what both versions of a corpus have in each column of their corresponding multiword tokens; one row
--   per pair of these and column in which a version has a value.
-- kind: relation
-- engine: kernel: version_words
-- parameters: as version_sentences
-- column old_sentence INTEGER: sentence of the old version
-- column old_word INTEGER: position of the token's first word
-- column new_sentence INTEGER: sentence of the new version
-- column new_word INTEGER: the same in the new version
-- column form VARCHAR: the token in the old version, as `3-4 FORM`
-- column column_number INTEGER: number of the row of the column in version_agreement
-- column column_name VARCHAR: range_words, which are its first and last word, range_form, range_lemma, range_upos,
--   range_xpos, range_feats, range_misc or range_further_columns
-- column old_value VARCHAR: value in the old version, `_` where there is none
-- column new_value VARCHAR: value in the new version, likewise
-- column same_value BIGINT: 1 if the values are equal; of range_words, if first and last words are aligned
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format
SELECT v.old_sentence, v.old_word, v.new_sentence, v.new_word, v.form, v.item.number AS column_number,
       v.item.name AS column_name, coalesce(v.item.old_value, '_') AS old_value,
       coalesce(v.item.new_value, '_') AS new_value, CAST(v.item.same_value AS BIGINT) AS same_value
FROM (SELECT p.old_sentence, p.old_word, p.new_sentence, p.new_word,
             CAST(o.first AS VARCHAR) || '-' || CAST(o.last AS VARCHAR) || ' ' || o.form AS form,
             unnest([
                 {'number': 41, 'name': 'range_words',
                  'old_value': CAST(o.first AS VARCHAR) || '-' || CAST(o.last AS VARCHAR),
                  'new_value': CAST(n.first AS VARCHAR) || '-' || CAST(n.last AS VARCHAR),
                  'same_value': CASE WHEN coalesce(f.new_word = n.first, g.old_word IS NULL)
                           AND coalesce(h.new_word = n.last, i.old_word IS NULL) THEN true ELSE false END},
                 {'number': 42, 'name': 'range_form', 'old_value': o.form, 'new_value': n.form,
                  'same_value': o.form IS NOT DISTINCT FROM n.form},
                 {'number': 43, 'name': 'range_lemma', 'old_value': o.lemma, 'new_value': n.lemma,
                  'same_value': o.lemma IS NOT DISTINCT FROM n.lemma},
                 {'number': 44, 'name': 'range_upos', 'old_value': o.upos, 'new_value': n.upos,
                  'same_value': o.upos IS NOT DISTINCT FROM n.upos},
                 {'number': 45, 'name': 'range_xpos', 'old_value': o.xpos, 'new_value': n.xpos,
                  'same_value': o.xpos IS NOT DISTINCT FROM n.xpos},
                 {'number': 46, 'name': 'range_feats', 'old_value': o.feats, 'new_value': n.feats,
                  'same_value': o.feats IS NOT DISTINCT FROM n.feats},
                 {'number': 47, 'name': 'range_misc', 'old_value': o.misc, 'new_value': n.misc,
                  'same_value': o.misc IS NOT DISTINCT FROM n.misc},
                 {'number': 48, 'name': 'range_further_columns', 'old_value': j.further, 'new_value': k.further,
                  'same_value': j.further IS NOT DISTINCT FROM k.further}]) AS item
      FROM version_ranges AS p
      JOIN tokens AS o ON o.corpus = $old_corpus AND o.sentence = p.old_sentence AND o.first = p.old_word
      JOIN tokens AS n ON n.corpus = $new_corpus AND n.sentence = p.new_sentence AND n.first = p.new_word
      LEFT JOIN version_words AS f ON f.old_sentence = p.old_sentence AND f.old_word = o.first
      LEFT JOIN version_words AS g ON g.new_sentence = p.new_sentence AND g.new_word = n.first
      LEFT JOIN version_words AS h ON h.old_sentence = p.old_sentence AND h.old_word = o.last
      LEFT JOIN version_words AS i ON i.new_sentence = p.new_sentence AND i.new_word = n.last
      LEFT JOIN version_further_columns(side_corpus := $old_corpus) AS j
          ON j.unit = 'range' AND j.sentence = p.old_sentence AND j.word = p.old_word
      LEFT JOIN version_further_columns(side_corpus := $new_corpus) AS k
          ON k.unit = 'range' AND k.sentence = p.new_sentence AND k.word = p.new_word) AS v
WHERE v.item.old_value IS NOT NULL OR v.item.new_value IS NOT NULL
