-- compared_weight_faults: scores of edges that cannot be weighted by the weights that others are compared with; one row per fault.
-- kind: audit
-- crosses_sentences unless compared_weights: all edges have as many scores as the one with most
-- engine: duckdb: edges have lists of scores
-- parameters: as weighted_edges (lattice_corpus)
-- parameter compared_weights TEXT = : weights whose best paths are compared with those by edge_weights, in its notation
-- columns: as tree_correspondence
-- source: Bernreuther 2005, Lattice evaluation techniques, 3.2.3
SELECT f.file, f.line, f.problem, f.hint FROM edge_score_faults(edge_weights := $compared_weights) AS f
