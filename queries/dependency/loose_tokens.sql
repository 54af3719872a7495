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
SELECT g.side, m.sentence, m.form AS token, g.span_start, g.span_end, m.line
FROM tokens AS m
JOIN unmatched_words AS g ON g.sentence = m.sentence AND g.word = m.first
WHERE m.corpus = $gold_corpus AND g.side = 'gold'
UNION ALL
SELECT s.side, n.sentence, n.form AS token, s.span_start, s.span_end, n.line
FROM tokens AS n
JOIN unmatched_words AS s ON s.sentence = n.sentence AND s.word = n.first
WHERE n.corpus = $system_corpus AND s.side = 'system'
