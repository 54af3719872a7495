-- iwpt20: the rows that the scorer of the IWPT 2020 shared task adds to those of conll18; one row per metric.
-- kind: statistic
-- engine: duckdb: enhanced_counts
-- parameters: as enhanced_attachment
-- audit text_correspondence
-- column metric VARCHAR: ELAS or EULAS
-- column precision DOUBLE: correct / system_total
-- column recall DOUBLE: correct / gold_total
-- column f1 DOUBLE: 2 correct / (gold_total + system_total)
-- column aligned_accuracy DOUBLE: NULL, as in that scorer
-- column correct BIGINT: number of right edges
-- column gold_total BIGINT: number of enhanced edges in the gold graphs
-- column system_total BIGINT: number of enhanced edges in the system's graphs
-- column aligned_total BIGINT: NULL
-- compares deps: correct
-- source: Bouma, Seddah & Zeman 2020, Overview of the IWPT 2020 shared task on parsing into enhanced Universal Dependencies
SELECT m.metric, CAST(m.correct AS DOUBLE) / nullif(m.system_total, 0) AS precision,
       CAST(m.correct AS DOUBLE) / nullif(m.gold_total, 0) AS recall,
       2 * CAST(m.correct AS DOUBLE) / nullif(m.gold_total + m.system_total, 0) AS f1,
       CAST(NULL AS DOUBLE) AS aligned_accuracy, m.correct, m.gold_total, m.system_total,
       CAST(NULL AS BIGINT) AS aligned_total
FROM (SELECT 'ELAS' AS metric, e.correct_edges AS correct, e.gold_edges AS gold_total, e.system_edges AS system_total
      FROM enhanced_counts AS e
      UNION ALL
      SELECT 'EULAS', e.correct_universal_edges, e.gold_edges, e.system_edges
      FROM enhanced_counts AS e) AS m
ORDER BY m.metric
