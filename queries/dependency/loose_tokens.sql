-- loose_tokens: the tokens of two corpora of the same text, including multiword tokens, that are not words of both which
--   cover the same characters; one row per token.
-- kind: relation
-- engine: duckdb: span_pairs
-- parameters: as attachment (gold_corpus, system_corpus)
-- column side VARCHAR: gold or system
-- column sentence INTEGER: its sentence
-- column token VARCHAR: the token
-- column span_start BIGINT: offset of its first character in the text of the corpus without white space
-- column span_end BIGINT: offset after its last character
-- column line BIGINT: line in the file of its sentence
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies
SELECT u.side, u.sentence, u.form AS token, u.span_start, u.span_end, u.line
FROM unmatched_words AS u
WHERE NOT u.multiword
UNION ALL
SELECT w.side, m.sentence, m.form AS token, w.span_start, w.span_end, m.line
FROM unmatched_words AS w
JOIN tokens AS m ON m.sentence = w.sentence AND m.first = w.word
WHERE m.corpus = CASE WHEN w.side = 'gold' THEN $gold_corpus ELSE $system_corpus END
