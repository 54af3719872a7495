-- lattice_lists: every lattice as a list of its edges, for the functions that find paths; one row per lattice.
-- kind: view
-- engine: duckdb: lists
-- column corpus VARCHAR: its corpus
-- column sentence INTEGER: its sentence
-- column n_nodes INTEGER: number of its nodes
-- column edges STRUCT(edge INTEGER, from_node INTEGER, to_node INTEGER, words VARCHAR[])[]: its edges, in any order
-- source: Bernreuther 2005, Lattice evaluation techniques, definition of a translation lattice
SELECT l.corpus, l.sentence, l.n_nodes, coalesce(e.edges, []) AS edges
FROM lattices AS l
LEFT JOIN (SELECT x.corpus, x.sentence, list({'edge': x.edge, 'from_node': x.from_node, 'to_node': x.to_node,
                                              'words': x.edge_words}) AS edges
           FROM lattice_edges AS x
           GROUP BY x.corpus, x.sentence) AS e ON e.corpus = l.corpus AND e.sentence = l.sentence
