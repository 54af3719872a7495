-- multiword_spans: the smallest spans of text whose ends are inside no multiword token of either corpus; one row per
--   span.
-- kind: relation
-- engine: duckdb: joins overlapping spans by a window frame
-- parameters: as attachment (gold_corpus, system_corpus)
-- column span_start BIGINT: offset of its first character in the text of the corpora without white space
-- column span_end BIGINT: offset after its last character
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies
--   (its scorer's "multi-word span")
SELECT min(n.span_start) AS span_start, max(n.span_end) AS span_end
FROM (SELECT b.span_start, b.span_end,
             sum(b.begins) OVER (ORDER BY b.span_start, b.span_end ROWS UNBOUNDED PRECEDING) AS number
      FROM (SELECT t.span_start, t.span_end,
                   CASE WHEN t.span_start < max(t.span_end) OVER (ORDER BY t.span_start, t.span_end
                                                                  ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
                        THEN 0 ELSE 1 END AS begins
            FROM (SELECT DISTINCT w.span_start, w.span_end
                  FROM words AS w
                  WHERE (w.corpus = $gold_corpus OR w.corpus = $system_corpus) AND w.multiword) AS t) AS b) AS n
GROUP BY n.number
