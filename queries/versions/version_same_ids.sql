-- version_same_ids: sentences of two versions of a corpus that have the same sent_id; one row per pair, none where
--   sentences correspond by their texts alone. Where a sent_id repeats, as in files of several treebanks, the sentences
--   of files of the same name correspond.
-- kind: relation
-- engine: duckdb: version_ids
-- parameters: as version_sentences
-- column old_sentence INTEGER: sentence of the old version
-- column new_sentence INTEGER: sentence of the new version
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format (`# sent_id` is unique in a treebank)
SELECT o.sentence AS old_sentence, n.sentence AS new_sentence
FROM version_ids(side_corpus := $old_corpus) AS o
JOIN version_ids(side_corpus := $new_corpus) AS n
    ON n.sent_id = o.sent_id
       AND (o.n_of_id = 1 AND n.n_of_id = 1
            OR o.file_name = n.file_name AND o.n_in_file = 1 AND n.n_in_file = 1)
WHERE $match = 'sent_id'
