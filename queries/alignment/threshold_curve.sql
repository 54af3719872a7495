-- threshold_curve: precision, recall and AER of the links of an alignment whose probability is at least a threshold; one
--   row per threshold.
-- kind: statistic
-- engine: duckdb: thresholds are made by unnest(range)
-- parameters: as agreement
-- parameter threshold_step DOUBLE(0|0.0001..1) = 0.05: distance between thresholds from 0 to 1, beside which the best one always has a row;
--   0: all probabilities that occur
-- audit alignment_correspondence
-- curve precision, recall, aer over threshold
-- column threshold DOUBLE: links with a lower probability are left out; links without one count as certain
-- column best BIGINT: 1 for the probability with the least AER of all that occur, the lowest of several, else 0
-- column proposed BIGINT: links from the threshold on
-- column precision DOUBLE: share of these that are possible; NULL where there are none
-- column recall DOUBLE: share of the sure links that are among these; NULL where no link is sure
-- column aer DOUBLE: alignment error rate
-- source: Och & Ney 2003, A systematic comparison of various statistical alignment models; Dou & Neubig 2021, Word alignment
--   by fine-tuning embeddings on parallel corpora (links from a threshold on)
WITH scored AS (
    SELECT coalesce(a.confidence, CAST(1 AS DOUBLE)) AS probability,
           CASE WHEN g.sure THEN 1 ELSE 0 END AS matched_sure, CASE WHEN g.sure IS NOT NULL THEN 1 ELSE 0 END AS matched_possible
    FROM alignments AS a
    LEFT JOIN (SELECT t.sentence, t.source, t.target, t.sure FROM alignments AS t WHERE t.corpus = $gold_corpus) AS g
        ON g.sentence = a.sentence AND g.source = a.source AND g.target = a.target
    WHERE a.corpus = $system_corpus),
totals AS (
    SELECT count(*) AS sure FROM alignments AS t WHERE t.corpus = $gold_corpus AND t.sure),
thresholds AS (
    SELECT s.probability AS threshold, s.probability AS occurring FROM scored AS s
    UNION
    SELECT round(CAST(k.place AS DOUBLE) * $threshold_step, 15) AS threshold, CAST(NULL AS DOUBLE) AS occurring
    FROM (SELECT unnest(range(CASE WHEN $threshold_step > 0 THEN CAST(floor(1 / $threshold_step + 1e-9) AS BIGINT) + 1 ELSE 0 END)) AS place) AS k),
distinct_thresholds AS (
    SELECT t.threshold, max(CASE WHEN t.occurring IS NULL THEN 1 ELSE 0 END) AS asked,
           max(CASE WHEN t.occurring IS NULL THEN 0 ELSE 1 END) AS occurs
    FROM thresholds AS t GROUP BY t.threshold),
cumulated AS (
    SELECT d.threshold, d.asked, d.occurs, sum(coalesce(p.proposed, 0)) OVER w AS proposed, sum(coalesce(p.matched_sure, 0)) OVER w AS matched_sure,
           sum(coalesce(p.matched_possible, 0)) OVER w AS matched_possible
    FROM distinct_thresholds AS d
    LEFT JOIN (SELECT s.probability, count(*) AS proposed, sum(s.matched_sure) AS matched_sure, sum(s.matched_possible) AS matched_possible
               FROM scored AS s
               GROUP BY s.probability) AS p ON p.probability = d.threshold
    WINDOW w AS (ORDER BY d.threshold DESC)),
rated AS (
    SELECT c.threshold, c.asked, c.occurs, c.proposed, CAST(c.matched_possible AS DOUBLE) / nullif(c.proposed, 0) AS precision,
           CAST(c.matched_sure AS DOUBLE) / nullif(t.sure, 0) AS recall,
           1 - CAST(c.matched_sure + c.matched_possible AS DOUBLE) / nullif(c.proposed + t.sure, 0) AS aer
    FROM cumulated AS c
    CROSS JOIN totals AS t),
ranked AS (
    SELECT r.threshold, r.asked, r.occurs, r.proposed, r.precision, r.recall, r.aer,
           row_number() OVER (ORDER BY r.occurs DESC, r.aer NULLS LAST, r.threshold) AS place
    FROM rated AS r)
SELECT k.threshold, CAST(CASE WHEN k.place = 1 AND k.occurs = 1 THEN 1 ELSE 0 END AS BIGINT) AS best, CAST(k.proposed AS BIGINT) AS proposed,
       k.precision, k.recall, k.aer
FROM ranked AS k
WHERE (k.place = 1 AND k.occurs = 1) OR k.asked = 1 OR $threshold_step = 0
ORDER BY k.threshold
