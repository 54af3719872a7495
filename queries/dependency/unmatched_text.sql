-- unmatched_text: stretches of a corpus's text that its tokens cut otherwise than the other corpus, or that differ; one row
--   per stretch.
-- kind: relation
-- engine: duckdb: full join, window frame and concatenation in order
-- parameter gold_corpus TEXT: corpus of the gold trees
-- parameter system_corpus TEXT: corpus of the system's trees
-- column side VARCHAR: gold or system
-- column span_start BIGINT: offset of its first character in the text of the corpus without white space
-- column stretch VARCHAR: its text
-- column sentence INTEGER: the sentence in which it begins
-- column line BIGINT: the line in its file on which it begins
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies
SELECT n.side, min(n.span_start) AS span_start, string_agg(n.token, '' ORDER BY n.span_start) AS stretch,
       min(n.sentence) AS sentence, arg_min(n.line, n.span_start) AS line
FROM (SELECT u.side, u.span_start, u.token, u.sentence, u.line,
             sum(CASE WHEN u.span_start = u.before THEN 0 ELSE 1 END)
                 OVER (PARTITION BY u.side ORDER BY u.span_start ROWS UNBOUNDED PRECEDING) AS number
      FROM (SELECT t.side, t.span_start, t.token, t.sentence, t.line,
                   lag(t.span_end) OVER (PARTITION BY t.side ORDER BY t.span_start) AS before
            FROM (SELECT CASE WHEN s.token IS NULL THEN 'gold' ELSE 'system' END AS side,
                         coalesce(g.span_start, s.span_start) AS span_start,
                         coalesce(g.span_end, s.span_end) AS span_end, coalesce(g.token, s.token) AS token,
                         coalesce(g.sentence, s.sentence) AS sentence, coalesce(g.line, s.line) AS line
                  FROM surface_tokens(tree_corpus := $gold_corpus) AS g
                  FULL JOIN surface_tokens(tree_corpus := $system_corpus) AS s
                      ON s.span_start = g.span_start AND s.span_end = g.span_end AND s.token = g.token
                  WHERE s.token IS NULL OR g.token IS NULL) AS t) AS u) AS n
GROUP BY n.side, n.number
