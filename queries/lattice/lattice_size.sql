-- lattice_size: numbers of nodes and edges of lattices; one row per lattice.
-- kind: metric
-- parameters: as tau_span (lattice_corpus)
-- column sentence INTEGER: its lattice
-- count lattices BIGINT: 1 for every lattice
-- count n_nodes BIGINT: number of its nodes
-- count n_edges BIGINT: number of its edges
-- column edges_per_node DOUBLE: n_edges / n_nodes
-- score density number neither = sum(n_edges) / nullif(CAST(sum(n_nodes) AS DOUBLE), 0): edges per node
-- score density_macro number neither = sum(edges_per_node) / nullif(sum(lattices), 0): edges per node, the mean over lattices
-- source: Bernreuther 2005, Lattice evaluation techniques, equation 2.15
SELECT l.sentence, CAST(1 AS BIGINT) AS lattices, CAST(l.n_nodes AS BIGINT) AS n_nodes, CAST(l.n_edges AS BIGINT) AS n_edges,
       CAST(l.n_edges AS DOUBLE) / l.n_nodes AS edges_per_node
FROM lattices AS l
WHERE l.corpus = $lattice_corpus
