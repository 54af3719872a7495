-- text_spans: the sentences of two corpora of the same text, and their tokens that are not words of both which cover the
--   same characters, as spans of characters; one row per span.
-- kind: relation
-- engine: duckdb: span_pairs
-- parameters: as attachment (gold_corpus, system_corpus)
-- column side VARCHAR: gold or system
-- column sentence INTEGER: the sentence
-- column unit VARCHAR: token or sentence
-- column span_start BIGINT: offset of the span's first character in the text of the corpus without white space
-- column span_end BIGINT: offset after its last character
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies
SELECT t.side, t.sentence, 'token' AS unit, t.span_start, t.span_end
FROM loose_tokens AS t
UNION ALL
SELECT 'gold' AS side, w.sentence, 'sentence' AS unit, min(w.span_start) AS span_start, max(w.span_end) AS span_end
FROM words AS w
WHERE w.corpus = $gold_corpus
GROUP BY w.sentence
UNION ALL
SELECT 'system' AS side, w.sentence, 'sentence' AS unit, min(w.span_start) AS span_start, max(w.span_end) AS span_end
FROM words AS w
WHERE w.corpus = $system_corpus
GROUP BY w.sentence
