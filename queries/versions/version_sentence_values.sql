-- version_sentence_values: text, documents and paragraphs of corresponding sentences of two versions of a corpus; one row
--   per pair of sentences and of these that a version has.
-- kind: relation
-- engine: duckdb: version_sentences
-- parameters: as version_sentences
-- column old_sentence INTEGER: sentence of the old version
-- column old_word INTEGER: NULL, for a sentence has no position
-- column new_sentence INTEGER: sentence of the new version
-- column new_word INTEGER: the same in the new version
-- column form VARCHAR: NULL
-- column column_number INTEGER: number of the row of the column in version_agreement
-- column column_name VARCHAR: text, newdoc or newpar
-- column old_value VARCHAR: value in the old version, `_` where there is none
-- column new_value VARCHAR: value in the new version, likewise
-- column same_value BIGINT: 1 if the values are equal
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format
SELECT v.old_sentence, v.old_word, v.new_sentence, v.new_word, v.form, v.item.number AS column_number,
       v.item.name AS column_name, coalesce(v.item.old_value, '_') AS old_value,
       coalesce(v.item.new_value, '_') AS new_value, CAST(v.item.same_value AS BIGINT) AS same_value
FROM (SELECT s.old_sentence, CAST(NULL AS INTEGER) AS old_word, s.new_sentence, CAST(NULL AS INTEGER) AS new_word,
             CAST(NULL AS VARCHAR) AS form,
             unnest([
                 {'number': 1, 'name': 'text', 'old_value': o.text, 'new_value': n.text,
                  'same_value': o.text IS NOT DISTINCT FROM n.text},
                 {'number': 2, 'name': 'newdoc',
                  'old_value': CASE WHEN o.newdoc = '' THEN '# newdoc' ELSE '# newdoc id = ' || o.newdoc END,
                  'new_value': CASE WHEN n.newdoc = '' THEN '# newdoc' ELSE '# newdoc id = ' || n.newdoc END,
                  'same_value': o.newdoc IS NOT DISTINCT FROM n.newdoc},
                 {'number': 3, 'name': 'newpar',
                  'old_value': CASE WHEN o.newpar = '' THEN '# newpar' ELSE '# newpar id = ' || o.newpar END,
                  'new_value': CASE WHEN n.newpar = '' THEN '# newpar' ELSE '# newpar id = ' || n.newpar END,
                  'same_value': o.newpar IS NOT DISTINCT FROM n.newpar}]) AS item
      FROM version_sentences AS s
      JOIN sentences AS o ON o.corpus = $old_corpus AND o.sentence = s.old_sentence
      JOIN sentences AS n ON n.corpus = $new_corpus AND n.sentence = s.new_sentence) AS v
WHERE v.item.old_value IS NOT NULL OR v.item.new_value IS NOT NULL
