-- uncertain_tokens: the tokens of one of two corpora that are not the same word on both sides; one row per token.
-- kind: relation
-- engine: duckdb: takes characters of category Zs out of tokens
-- parameter gold_corpus TEXT: corpus of the gold trees
-- parameter system_corpus TEXT: corpus of the system's trees
-- parameter side_corpus TEXT: which of the two
-- column sentence INTEGER: its sentence
-- column token VARCHAR: the token without white space
-- column span_start BIGINT: offset of its first character in the text of the corpus without white space
-- column span_end BIGINT: offset after its last character
-- column line BIGINT: line in the file of its sentence
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies
SELECT t.sentence, regexp_replace(t.token, '\p{Zs}', '', 'g') AS token, t.span_start, t.span_end, t.line
FROM (SELECT l.sentence, l.token, l.span_start, l.span_end, l.line
      FROM loose_tokens AS l
      UNION ALL
      SELECT w.sentence, w.form, w.span_start, w.span_end, w.line
      FROM same_span_words AS d
      JOIN words AS w ON w.sentence = CASE WHEN $side_corpus = $gold_corpus THEN d.gold_sentence ELSE d.system_sentence END
                     AND w.word = CASE WHEN $side_corpus = $gold_corpus THEN d.gold_word ELSE d.system_word END
      WHERE NOT d.same_form AND w.corpus = $side_corpus) AS t
