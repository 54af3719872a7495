-- lattices_with_scores: every lattice as a list of its edges with a score each, for the functions of scores; one row per lattice.
-- kind: relation
-- engine: duckdb: kernels take lists
-- parameters: as weighted_edges (lattice_corpus, edge_weights)
-- audit edge_score_faults
-- column sentence INTEGER: its lattice
-- column n_nodes INTEGER: number of its nodes
-- column edges STRUCT(edge INTEGER, from_node INTEGER, to_node INTEGER, words VARCHAR[], score DOUBLE)[]: its edges in order
-- source: Bernreuther 2005, Lattice evaluation techniques, definition of a translation lattice
SELECT l.sentence, l.n_nodes, coalesce(e.edges, []) AS edges
FROM lattices AS l
LEFT JOIN (SELECT w.sentence, list({'edge': w.edge, 'from_node': w.from_node, 'to_node': w.to_node, 'words': w.edge_words,
                                    'score': w.edge_score} ORDER BY w.edge) AS edges
           FROM weighted_edges AS w
           GROUP BY w.sentence) AS e ON e.sentence = l.sentence
WHERE l.corpus = $lattice_corpus
