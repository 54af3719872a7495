-- enhanced_counts: counts of the IWPT 2020 shared task's scorer; one row.
-- kind: relation
-- engine: duckdb: enhanced_attachment
-- parameters: as enhanced_attachment
-- audit text_correspondence
-- count gold_edges BIGINT: enhanced edges in the gold graphs
-- count system_edges BIGINT: enhanced edges in the system's graphs
-- count correct_edges BIGINT: edges that both have, with the same relation
-- count correct_universal_edges BIGINT: edges from the same head and with the same relation up to its first `:`
-- source: Bouma, Seddah & Zeman 2020, Overview of the IWPT 2020 shared task on parsing into enhanced Universal Dependencies
SELECT CAST(sum(e.gold_edges) AS BIGINT) AS gold_edges, CAST(sum(e.system_edges) AS BIGINT) AS system_edges,
       CAST(sum(e.correct_edges) AS BIGINT) AS correct_edges,
       CAST(sum(e.correct_universal_edges) AS BIGINT) AS correct_universal_edges
FROM enhanced_attachment AS e
