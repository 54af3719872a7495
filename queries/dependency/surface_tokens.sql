-- surface_tokens: the tokens of a text, words and multiword tokens, without white space inside; one row per token.
-- kind: relation
-- engine: duckdb: takes characters of category Zs out of the few forms that have any
-- parameter tree_corpus TEXT: the corpus
-- column sentence INTEGER: the sentence
-- column word INTEGER: the token's first word
-- column token VARCHAR: the token
-- column span_start BIGINT: offset of its first character in the text of the corpus without white space
-- column span_end BIGINT: offset after its last character
-- column line BIGINT: line in the file of its sentence
-- source: CoNLL-U format, Universal Dependencies, words and multiword tokens
SELECT t.sentence, t.word,
       CASE WHEN length(t.token) = t.span_end - t.span_start THEN t.token
            ELSE regexp_replace(t.token, '\p{Zs}', '', 'g') END AS token,
       t.span_start, t.span_end, t.line
FROM (SELECT w.sentence, w.word, w.form AS token, w.span_start, w.span_end, w.line
      FROM words AS w
      WHERE w.corpus = $tree_corpus AND NOT w.multiword
      UNION ALL
      SELECT m.sentence, m.first, m.form, w.span_start, w.span_end, m.line
      FROM tokens AS m
      JOIN words AS w ON w.sentence = m.sentence AND w.word = m.first
      WHERE m.corpus = $tree_corpus AND w.corpus = $tree_corpus) AS t
