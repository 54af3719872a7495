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
-- compares form: correct_tokens, correct_sentences
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
FROM (SELECT p.gold_sentence AS sentence, 'token' AS unit, p.gold_span_start AS span_start, p.gold_span_end AS span_end,
             CAST(1 AS BIGINT) AS gold, CAST(1 AS BIGINT) AS system
      FROM span_pairs AS p
      WHERE p.gold_word IS NOT NULL AND p.system_word IS NOT NULL
      UNION ALL
      SELECT coalesce(g.sentence, s.gold_sentence) AS sentence, coalesce(g.unit, s.unit) AS unit,
             coalesce(g.span_start, s.span_start) AS span_start, coalesce(g.span_end, s.span_end) AS span_end,
             CAST(CASE WHEN g.unit IS NULL THEN 0 ELSE 1 END AS BIGINT) AS gold,
             CAST(CASE WHEN s.unit IS NULL THEN 0 ELSE 1 END AS BIGINT) AS system
      FROM (SELECT t.sentence, t.unit, t.span_start, t.span_end FROM text_spans AS t WHERE t.side = 'gold') AS g
      FULL JOIN (SELECT o.unit, o.span_start, o.span_end, b.sentence AS gold_sentence
                 FROM (SELECT t.unit, t.span_start, t.span_end FROM text_spans AS t WHERE t.side = 'system') AS o
                 ASOF JOIN (SELECT w.sentence, w.span_start
                            FROM words AS w
                            WHERE w.corpus = $gold_corpus AND w.word = 1) AS b ON o.span_start >= b.span_start) AS s
          ON s.span_start = g.span_start AND s.span_end = g.span_end AND s.unit = g.unit) AS u
