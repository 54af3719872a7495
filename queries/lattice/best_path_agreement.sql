-- best_path_agreement: whether the path of a lattice with the best scores is that by other weights of the scores; one row per
--   lattice.
-- kind: metric
-- engine: kernel: best_scored_path finds the paths
-- parameters: as weighted_edges (lattice_corpus, edge_weights)
-- parameters: as compared_weight_faults (compared_weights)
-- audit edge_score_faults
-- audit compared_weight_faults
-- column sentence INTEGER: its lattice
-- column weighted_lattices BIGINT: 1 for every lattice
-- column agreeing_lattices BIGINT: 1 if both paths have the same edges
-- score agreement percent neither = sum(agreeing_lattices) / nullif(sum(weighted_lattices), 0): share of the lattices whose best
--   path is that by the other weights
-- source: Bernreuther 2005, Lattice evaluation techniques, 3.2.3 (model consistency)
SELECT a.sentence, CAST(1 AS BIGINT) AS weighted_lattices,
       CAST(CASE WHEN a.path_edges = b.path_edges THEN 1 ELSE 0 END AS BIGINT) AS agreeing_lattices
FROM best_paths AS a
JOIN best_paths(edge_weights := $compared_weights) AS b ON b.sentence = a.sentence
