-- same_span_words: words of two corpora of the same text that are tokens and cover the same characters; one row per pair.
-- kind: relation
-- engine: duckdb: span_pairs
-- parameters: as attachment (gold_corpus, system_corpus)
-- column gold_sentence INTEGER: the gold corpus's sentence
-- column gold_word INTEGER: position in it
-- column system_sentence INTEGER: the system's sentence
-- column system_word INTEGER: position in it
-- column span_start BIGINT: offset of their first character in the text of the corpora without white space
-- column span_end BIGINT: offset after their last character
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies
SELECT p.gold_sentence, p.gold_word, p.system_sentence, p.system_word, p.gold_span_start AS span_start,
       p.gold_span_end AS span_end
FROM span_pairs AS p
WHERE p.gold_word IS NOT NULL AND p.system_word IS NOT NULL
