-- text_spans: the sentences of one of two corpora of the same text, and its tokens that are not words of
--   same_span_words, as spans of characters; one row per span.
-- kind: relation
-- engine: duckdb: span_pairs
-- parameters: as attachment (gold_corpus, system_corpus)
-- parameters: as unmatched_words (side_corpus)
-- column sentence INTEGER: the sentence
-- column unit VARCHAR: token or sentence
-- column span_start BIGINT: offset of the span's first character in the text of the corpus without white space
-- column span_end BIGINT: offset after its last character
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies
SELECT t.sentence, 'token' AS unit, t.span_start, t.span_end
FROM loose_tokens AS t
UNION ALL
SELECT w.sentence, 'sentence' AS unit, min(w.span_start) AS span_start, max(w.span_end) AS span_end
FROM words AS w
WHERE w.corpus = $side_corpus
GROUP BY w.sentence
