-- best_paths: the path of every lattice with the best weighted sum of its edges' scores; one row per lattice.
-- kind: relation
-- engine: kernel: best_scored_path finds the path
-- parameters: as weighted_edges (lattice_corpus, edge_weights)
-- audit edge_score_faults
-- column sentence INTEGER: its lattice
-- column path_score DOUBLE: the sum of the weighted scores of its edges, the greatest of all paths
-- column path_words INTEGER: number of words of the path
-- column path_edges INTEGER[]: the edges of the path; of several best paths, the smallest numbers, the first edge first
-- column path_forms VARCHAR[]: its words
-- source: Bernreuther 2005, Lattice evaluation techniques, 2.2.3
SELECT b.sentence, b.path.score AS path_score, b.path.words AS path_words, b.path.edges AS path_edges,
       b.path.forms AS path_forms
FROM (SELECT l.sentence, best_scored_path(l.n_nodes, l.edges) AS path
      FROM lattices_with_scores AS l) AS b
