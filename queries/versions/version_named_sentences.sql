-- version_named_sentences: sentences of two versions of a corpus that have the same sent_id, or else the same text; one
--   row per pair.
-- kind: relation
-- engine: duckdb: version_texts
-- parameters: as version_sentences
-- column old_sentence INTEGER: sentence of the old version
-- column new_sentence INTEGER: sentence of the new version
-- column paired_by VARCHAR: sent_id or text
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format (`# sent_id` is unique in a treebank)
SELECT i.old_sentence, i.new_sentence, 'sent_id' AS paired_by
FROM version_same_ids AS i
UNION ALL
SELECT o.sentence AS old_sentence, n.sentence AS new_sentence, 'text' AS paired_by
FROM (SELECT t.sentence, t.characters,
             row_number() OVER (PARTITION BY t.characters ORDER BY t.sentence) AS occurrence
      FROM version_texts(side_corpus := $old_corpus) AS t
      WHERE NOT EXISTS (SELECT 1 FROM version_same_ids AS i WHERE i.old_sentence = t.sentence)) AS o
JOIN (SELECT t.sentence, t.characters,
             row_number() OVER (PARTITION BY t.characters ORDER BY t.sentence) AS occurrence
      FROM version_texts(side_corpus := $new_corpus) AS t
      WHERE NOT EXISTS (SELECT 1 FROM version_same_ids AS i WHERE i.new_sentence = t.sentence)) AS n
    ON n.characters = o.characters AND n.occurrence = o.occurrence
