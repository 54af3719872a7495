-- enhanced_edge_counts: number of enhanced edges, and of those that come from an empty node or go to one, which no score
--   compares; one row.
-- kind: relation
-- parameters: as treebank_forms (corpus_name)
-- count edges BIGINT: number of edges
-- count of_empty_nodes BIGINT: number of edges from or to an empty node
-- source: Bouma, Seddah & Zeman 2020, Overview of the IWPT 2020 shared task on parsing into enhanced Universal Dependencies
SELECT count(*) AS edges,
       count(CASE WHEN e.head_index <> 0 OR e.dependent_index <> 0 THEN 1 END) AS of_empty_nodes
FROM enhanced_edges AS e
WHERE $corpus_name = '' OR e.corpus = $corpus_name
