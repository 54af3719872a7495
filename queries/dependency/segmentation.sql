-- segmentation: segmentation of the text into tokens and sentences; one row per span that either side has.
-- kind: metric
-- engine: duckdb: an ASOF join finds the gold sentence of a span
-- parameters: as attachment (gold_corpus, system_corpus)
-- audit text_correspondence
-- column sentence INTEGER: the gold corpus's sentence in which the span begins
-- column unit VARCHAR: token or sentence
-- column span_start BIGINT: offset of the span's first character in the text of the corpora without white space
-- column span_end BIGINT: offset after its last character
-- column gold_tokens BIGINT: 1 for a token of the gold corpus
-- column system_tokens BIGINT: 1 for a token of the system's
-- column correct_tokens BIGINT: 1 for a token that both have
-- column gold_sentences BIGINT: 1 for a sentence of the gold corpus
-- column system_sentences BIGINT: 1 for a sentence of the system's
-- column correct_sentences BIGINT: 1 for a sentence that both have
-- score tokens_f1 percent higher = 2 * sum(correct_tokens) / nullif(sum(gold_tokens) + sum(system_tokens), 0): F1 of
--   tokens
-- score sentences_f1 percent higher = 2 * sum(correct_sentences) / nullif(sum(gold_sentences) + sum(system_sentences), 0): F1 of
--   sentences
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies
SELECT u.sentence, u.unit, u.span_start, u.span_end,
       CASE WHEN u.unit = 'token' THEN u.gold ELSE 0 END AS gold_tokens,
       CASE WHEN u.unit = 'token' THEN u.system ELSE 0 END AS system_tokens,
       CASE WHEN u.unit = 'token' THEN u.gold * u.system ELSE 0 END AS correct_tokens,
       CASE WHEN u.unit = 'sentence' THEN u.gold ELSE 0 END AS gold_sentences,
       CASE WHEN u.unit = 'sentence' THEN u.system ELSE 0 END AS system_sentences,
       CASE WHEN u.unit = 'sentence' THEN u.gold * u.system ELSE 0 END AS correct_sentences
FROM (SELECT d.gold_sentence AS sentence, 'token' AS unit, d.span_start, d.span_end, CAST(1 AS BIGINT) AS gold,
             CAST(1 AS BIGINT) AS system
      FROM same_span_words AS d
      UNION ALL
      SELECT g.sentence, g.unit, g.span_start, g.span_end, 1 AS gold,
             CAST(CASE WHEN s.unit IS NULL THEN 0 ELSE 1 END AS BIGINT) AS system
      FROM text_spans(side_corpus := $gold_corpus) AS g
      LEFT JOIN text_spans(side_corpus := $system_corpus) AS s
          ON s.span_start = g.span_start AND s.span_end = g.span_end AND s.unit = g.unit
      UNION ALL
      SELECT b.sentence, s.unit, s.span_start, s.span_end, 0 AS gold, 1 AS system
      FROM (SELECT o.unit, o.span_start, o.span_end
            FROM text_spans(side_corpus := $system_corpus) AS o
            WHERE NOT EXISTS (SELECT 1 FROM text_spans(side_corpus := $gold_corpus) AS g
                              WHERE g.span_start = o.span_start AND g.span_end = o.span_end AND g.unit = o.unit)) AS s
      ASOF JOIN (SELECT w.sentence, w.span_start
                 FROM words AS w
                 WHERE w.corpus = $gold_corpus AND w.word = 1) AS b ON s.span_start >= b.span_start) AS u
