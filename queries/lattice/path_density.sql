-- path_density: numbers of paths of lattices, and the roots of these as densities; one row per lattice.
-- kind: metric
-- engine: kernel: log_path_count counts paths
-- parameters: as tau_span (lattice_corpus)
-- column sentence INTEGER: its lattice
-- column log_paths DOUBLE: the natural logarithm of the number of its paths; paths with the same words count each
-- column path_nodes BIGINT: number of its nodes, N
-- column path_lattices BIGINT: 1 for every lattice
-- column nodes_root DOUBLE: the N-th root of the number of its paths
-- score root_density number neither = exp(sum(log_paths) / nullif(CAST(sum(path_nodes) AS DOUBLE), 0)): the N-th root of the
--   number of paths, N the number of nodes; of several lattices of the product of their paths and the sum of their nodes
-- score root_density_macro number neither = sum(nodes_root) / nullif(sum(path_lattices), 0): root_density, the mean over lattices
-- source: Bernreuther 2005, Lattice evaluation techniques, footnote 16
SELECT p.sentence, p.log_paths, p.path_nodes, CAST(1 AS BIGINT) AS path_lattices, exp(p.log_paths / p.path_nodes) AS nodes_root
FROM (SELECT l.sentence, nullif(log_path_count(l.n_nodes, l.edges), CAST('-inf' AS DOUBLE)) AS log_paths, CAST(l.n_nodes AS BIGINT) AS path_nodes
      FROM lattice_lists AS l
      WHERE l.corpus = $lattice_corpus) AS p
