-- segmentation: how a system cuts the text into tokens and sentences; one row per span that either side has.
-- kind: metric
-- engine: duckdb: an ASOF join finds the gold sentence of a span
-- parameter gold_corpus TEXT: corpus of the gold trees
-- parameter system_corpus TEXT: corpus of the system's trees
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
-- score tokens_f1 percent = 2 * sum(correct_tokens) / nullif(sum(gold_tokens) + sum(system_tokens), 0): F1 of tokens
-- score sentences_f1 percent = 2 * sum(correct_sentences) / nullif(sum(gold_sentences) + sum(system_sentences), 0): F1 of
--   sentences
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies
SELECT b.sentence, u.unit, u.span_start, u.span_end,
       CASE WHEN u.unit = 'token' THEN u.gold ELSE 0 END AS gold_tokens,
       CASE WHEN u.unit = 'token' THEN u.system ELSE 0 END AS system_tokens,
       CASE WHEN u.unit = 'token' THEN u.gold * u.system ELSE 0 END AS correct_tokens,
       CASE WHEN u.unit = 'sentence' THEN u.gold ELSE 0 END AS gold_sentences,
       CASE WHEN u.unit = 'sentence' THEN u.system ELSE 0 END AS system_sentences,
       CASE WHEN u.unit = 'sentence' THEN u.gold * u.system ELSE 0 END AS correct_sentences
FROM (SELECT s.unit, s.span_start, s.span_end, CAST(sum(s.gold) AS BIGINT) AS gold,
             CAST(sum(s.system) AS BIGINT) AS system
      FROM (SELECT 'token' AS unit, t.span_start, t.span_end, 1 AS gold, 0 AS system
            FROM surface_tokens(tree_corpus := $gold_corpus) AS t
            UNION ALL
            SELECT 'token', t.span_start, t.span_end, 0, 1
            FROM surface_tokens(tree_corpus := $system_corpus) AS t
            UNION ALL
            SELECT 'sentence', min(w.span_start), max(w.span_end), 1, 0
            FROM words AS w
            WHERE w.corpus = $gold_corpus
            GROUP BY w.sentence
            UNION ALL
            SELECT 'sentence', min(w.span_start), max(w.span_end), 0, 1
            FROM words AS w
            WHERE w.corpus = $system_corpus
            GROUP BY w.sentence) AS s
      GROUP BY s.unit, s.span_start, s.span_end) AS u
ASOF JOIN (SELECT w.sentence, min(w.span_start) AS span_start
           FROM words AS w
           WHERE w.corpus = $gold_corpus
           GROUP BY w.sentence) AS b ON u.span_start >= b.span_start
