-- tau_span: range of the values of tau of a lattice's edges; one row per lattice.
-- kind: statistic
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameter lattice_corpus TEXT: corpus of the lattices
-- parameter reference_corpus TEXT: corpus of the references, or of the first of several
-- parameter other_corpora TEXT = : further reference corpora, their names separated by commas
-- parameter min_redundancy DOUBLE(0..) = 1: lower bound of the redundancy, with and without the edge; 0 for no bound
-- audit lattice_correspondence
-- column sentence INTEGER: its lattice
-- column n_nodes BIGINT: number of its nodes
-- column n_edges BIGINT: number of its edges
-- column edges_per_node DOUBLE: n_edges / n_nodes, the density
-- column smallest_tau DOUBLE: the smallest value of tau; NULL without edges, for an empty reference and where all are
--   infinite
-- column largest_tau DOUBLE: the largest
-- column span DOUBLE: largest_tau - smallest_tau
-- column span_normalised DOUBLE: span times n_edges
-- source: Bernreuther 2005, Lattice evaluation techniques, equations 3.48 to 3.51
SELECT l.sentence, CAST(l.n_nodes AS BIGINT) AS n_nodes, CAST(l.n_edges AS BIGINT) AS n_edges,
       CAST(l.n_edges AS DOUBLE) / l.n_nodes AS edges_per_node, t.smallest_tau, t.largest_tau,
       t.largest_tau - t.smallest_tau AS span, l.n_edges * (t.largest_tau - t.smallest_tau) AS span_normalised
FROM lattices AS l
LEFT JOIN (SELECT r.sentence, min(r.tau) AS smallest_tau, max(r.tau) AS largest_tau
           FROM edge_removals AS r
           WHERE r.tau > CAST('-inf' AS DOUBLE) AND r.tau < CAST('inf' AS DOUBLE)
           GROUP BY r.sentence) AS t ON t.sentence = l.sentence
WHERE l.corpus = $lattice_corpus
ORDER BY l.sentence
