-- loose_tokens: the tokens of one of two corpora, including multiword tokens, that are not words of same_span_words;
--   one row per token.
-- kind: relation
-- engine: duckdb: span_pairs
-- parameters: as attachment (gold_corpus, system_corpus)
-- parameters: as unmatched_words (side_corpus)
-- column sentence INTEGER: its sentence
-- column token VARCHAR: the token
-- column span_start BIGINT: offset of its first character in the text of the corpus without white space
-- column span_end BIGINT: offset after its last character
-- column line BIGINT: line in the file of its sentence
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies
SELECT u.sentence, u.form AS token, u.span_start, u.span_end, u.line
FROM unmatched_words AS u
WHERE NOT u.multiword
UNION ALL
SELECT m.sentence, m.form AS token, w.span_start, w.span_end, m.line
FROM tokens AS m
JOIN unmatched_words AS w ON w.sentence = m.sentence AND w.word = m.first
WHERE m.corpus = $side_corpus
