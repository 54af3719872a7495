-- link_lists: the links of every sentence of an alignment as lists; without null links; one row per sentence with
--   links.
-- kind: view
-- engine: duckdb: lists
-- column corpus VARCHAR: the alignment
-- column sentence INTEGER: its sentence
-- column source_list INTEGER[]: the source word of each link
-- column target_list INTEGER[]: its target word
-- source: Och & Ney 2003, A systematic comparison of various statistical alignment models
SELECT a.corpus, a.sentence, list(a.source ORDER BY a.source, a.target) AS source_list,
       list(a.target ORDER BY a.source, a.target) AS target_list
FROM alignments AS a
WHERE a.source > 0 AND a.target > 0
GROUP BY a.corpus, a.sentence
