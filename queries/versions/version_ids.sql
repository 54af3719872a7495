-- version_ids: sentences of one version of a corpus by their sent_id; one row per sentence that has one.
-- kind: relation
-- engine: duckdb: regexp_extract
-- parameter side_corpus TEXT: corpus of the version
-- column sentence INTEGER: the sentence
-- column sent_id VARCHAR: its sent_id
-- column file_name VARCHAR: the name of its file, without folders
-- column n_of_id BIGINT: number of the version's sentences with this sent_id
-- column n_in_file BIGINT: number of these in files of this name
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format (`# sent_id` is unique in a treebank)
SELECT s.sentence, s.sent_id, regexp_extract(s.file, '[^/\\]*$') AS file_name,
       count(*) OVER (PARTITION BY s.sent_id) AS n_of_id,
       count(*) OVER (PARTITION BY s.sent_id, regexp_extract(s.file, '[^/\\]*$')) AS n_in_file
FROM sentences AS s
WHERE s.corpus = $side_corpus AND s.sent_id IS NOT NULL
