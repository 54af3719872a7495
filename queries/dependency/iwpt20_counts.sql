-- iwpt20_counts: counts of enhanced dependencies of the IWPT 2020 shared task's scorer; one row.
-- kind: relation
-- engine: kernel: aligned_words aligns words
-- parameters: as enhanced_attachment
-- column gold_edges BIGINT: enhanced edges in the gold graphs
-- column system_edges BIGINT: enhanced edges in the system's graphs
-- column correct_edges BIGINT: those that both have, with the same relation
-- column correct_universal_edges BIGINT: pairs of edges with the same universal relation
-- source: Bouma, Seddah & Zeman 2020, Overview of the IWPT 2020 shared task on parsing into enhanced Universal Dependencies
SELECT CAST(sum(e.gold_edges) AS BIGINT) AS gold_edges, CAST(sum(e.system_edges) AS BIGINT) AS system_edges,
       CAST(sum(e.correct_edges) AS BIGINT) AS correct_edges,
       CAST(sum(e.correct_universal_edges) AS BIGINT) AS correct_universal_edges
FROM enhanced_attachment AS e
