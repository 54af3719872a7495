-- lattice_shapes: sizes of lattices, by which scores are grouped; one row per lattice.
-- kind: attributes
-- parameters: as tau_span (lattice_corpus)
-- column sentence INTEGER: the lattice
-- column lattice_nodes INTEGER: number of its nodes
-- column lattice_edges INTEGER: number of its edges
-- column lattice_density DOUBLE: edges for each node
-- source: Bernreuther 2005, Lattice evaluation techniques, equation 2.15
SELECT l.sentence, l.n_nodes AS lattice_nodes, l.n_edges AS lattice_edges,
       CAST(l.n_edges AS DOUBLE) / l.n_nodes AS lattice_density
FROM lattices AS l
WHERE l.corpus = $lattice_corpus
