-- uncertain_tokens: the tokens of one of two corpora that are not the same word on both sides; one row per token.
-- kind: relation
-- engine: duckdb: removes characters of category Zs from tokens
-- parameters: as attachment (gold_corpus, system_corpus)
-- parameters: as unmatched_words (side_corpus)
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
      SELECT g.gold_sentence, g.gold_form, g.gold_span_start, g.gold_span_end, g.gold_line
      FROM span_pairs AS g
      WHERE g.gold_form <> g.system_form AND $side_corpus = $gold_corpus
      UNION ALL
      SELECT s.system_sentence, s.system_form, s.system_span_start, s.system_span_end, s.system_line
      FROM span_pairs AS s
      WHERE s.gold_form <> s.system_form AND $side_corpus <> $gold_corpus) AS t
