-- counterpart_correspondence: text_correspondence of a system whose words are not the gold words; one row if the texts are not
--   the same.
-- kind: audit
-- engine: duckdb: text_correspondence
-- parameters: as attachment (gold_corpus, system_corpus)
-- column file VARCHAR: the system's file
-- column line BIGINT: the line in it
-- column problem VARCHAR: what is wrong
-- column hint VARCHAR: how to fix it
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies
SELECT t.file, t.line, t.problem, t.hint
FROM text_correspondence AS t
CROSS JOIN same_words AS e
WHERE e.has_gold_words = 0
