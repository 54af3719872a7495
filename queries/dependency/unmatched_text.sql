-- unmatched_text: parts of a corpus's text that are not the same words on both sides; one row per part.
-- kind: relation
-- engine: duckdb: window frame, concatenation in order, and white space as in the scorer
-- parameters: as attachment (gold_corpus, system_corpus)
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
            FROM (SELECT l.side, l.sentence, regexp_replace(l.token, '\p{Zs}', '', 'g') AS token, l.span_start, l.span_end,
                         l.line
                  FROM loose_tokens AS l
                  UNION ALL
                  SELECT 'gold', g.gold_sentence, regexp_replace(g.gold_form, '\p{Zs}', '', 'g'), g.gold_span_start,
                         g.gold_span_end, g.gold_line
                  FROM span_pairs AS g
                  WHERE g.gold_form <> g.system_form
                  UNION ALL
                  SELECT 'system', s.system_sentence, regexp_replace(s.system_form, '\p{Zs}', '', 'g'),
                         s.system_span_start, s.system_span_end, s.system_line
                  FROM span_pairs AS s
                  WHERE s.gold_form <> s.system_form) AS t) AS u) AS n
GROUP BY n.side, n.number
