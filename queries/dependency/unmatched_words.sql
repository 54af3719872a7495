-- unmatched_words: the words of two corpora of the same text without a counterpart in span_pairs; one row per word.
-- kind: relation
-- engine: duckdb: span_pairs
-- parameters: as attachment (gold_corpus, system_corpus)
-- column side VARCHAR: gold or system
-- column sentence INTEGER: its sentence
-- column word INTEGER: its position
-- column form VARCHAR: the word
-- column multiword BOOLEAN: whether it is part of a multiword token
-- column span_start BIGINT: offset of its first character in the text of the corpus without white space
-- column span_end BIGINT: offset after its last character
-- column line BIGINT: line in the file of its sentence
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies
SELECT CASE WHEN p.gold_word IS NULL THEN 'system' ELSE 'gold' END AS side,
       coalesce(p.gold_sentence, p.system_sentence) AS sentence, coalesce(p.gold_word, p.system_word) AS word,
       coalesce(p.gold_form, p.system_form) AS form, coalesce(p.gold_multiword, p.system_multiword) AS multiword,
       coalesce(p.gold_span_start, p.system_span_start) AS span_start,
       coalesce(p.gold_span_end, p.system_span_end) AS span_end, coalesce(p.gold_line, p.system_line) AS line
FROM span_pairs AS p
WHERE p.gold_word IS NULL OR p.system_word IS NULL
