-- version_same_ids: sentences of two versions of a corpus that have the same sent_id; one row per pair, none where
--   sentences correspond by their texts alone.
-- kind: relation
-- parameters: as version_sentences
-- column old_sentence INTEGER: sentence of the old version
-- column new_sentence INTEGER: sentence of the new version
-- source: Universal Dependencies, CoNLL-U format (`# sent_id` is unique in a treebank)
SELECT o.sentence AS old_sentence, n.sentence AS new_sentence
FROM (SELECT s.sent_id, min(s.sentence) AS sentence
      FROM sentences AS s
      WHERE s.corpus = $old_corpus AND s.sent_id IS NOT NULL AND $match = 'sent_id'
      GROUP BY s.sent_id) AS o
JOIN (SELECT s.sent_id, min(s.sentence) AS sentence
      FROM sentences AS s
      WHERE s.corpus = $new_corpus AND s.sent_id IS NOT NULL
      GROUP BY s.sent_id) AS n ON n.sent_id = o.sent_id
