-- edge_effects: what standard word count distance gains or loses where one edge is taken out of its lattice, and whether the
--   path that is nearest to a reference takes it; one row per edge.
-- kind: relation
-- engine: kernel: nearest_path looks for the path
-- parameter lattice_corpus TEXT: corpus of the lattices
-- parameter reference_corpus TEXT: corpus of the references, or of the first of several
-- parameter other_corpora TEXT = : further reference corpora, their names separated by commas
-- parameter min_redundancy DOUBLE = 1: the references are taken at least so often, with and without the edge; 0 for any
--   number
-- audit lattice_correspondence
-- column sentence INTEGER: its lattice
-- column edge INTEGER: the edge, numbered from 0
-- column on_oracle_path BOOLEAN: whether it lies on the path with fewest edits
-- column hits BIGINT: number of its words that a reference has
-- column delta_redundancy DOUBLE: change of P / D, how often the reference fits best, without least number; NULL, as all that
--   follow, for an empty reference
-- column delta_sigma2 DOUBLE: change of the sum of squared differences (sigma squared)
-- column tau DOUBLE: sigma squared without the edge for each with it, minus the square of the same of redundancy: below 0
--   where the distance is smaller without the edge. -infinity where the redundancy is 0, else +infinity where sigma is 0
-- column tau_normalised DOUBLE: tau times the number of edges of the lattice
-- source: Bernreuther 2005, Lattice evaluation techniques, equations 3.30 to 3.54, the least redundancy kept without the edge
SELECT r.sentence, r.edge, CASE WHEN p.edge IS NULL THEN FALSE ELSE TRUE END AS on_oracle_path, r.hits, r.delta_redundancy,
       r.delta_sigma2, r.tau, r.tau_normalised
FROM edge_removals AS r
LEFT JOIN (SELECT o.sentence, unnest(o.path_edges) AS edge
           FROM oracle_paths AS o) AS p ON p.sentence = r.sentence AND p.edge = r.edge
