-- edge_effects: change of the standard word count distance when one edge is removed from its lattice, and whether the
--   oracle path contains it; one row per edge.
-- kind: relation
-- engine: kernel: nearest_path finds the path
-- parameters: as tau_span
-- parameters: as oracle_paths (empty_references)
-- audit lattice_correspondence
-- column sentence INTEGER: its lattice
-- column edge INTEGER: the edge, numbered from 0
-- column on_oracle_path BOOLEAN: whether it lies on the path with fewest edits
-- column hits BIGINT: number of its words that a reference has
-- column delta_redundancy DOUBLE: change of P / D, the best-fitting redundancy, without a lower bound; NULL, as all
--   following columns, for an empty reference
-- column delta_sigma2 DOUBLE: change of the sum of squared differences (sigma squared)
-- column tau DOUBLE: ratio of sigma squared without the edge to that with it, minus the square of the same ratio of
--   redundancies: negative where removing the edge reduces the distance. -infinity where the redundancy is 0, else
--   +infinity where sigma is 0
-- column tau_normalised DOUBLE: tau times the number of edges of the lattice
-- source: Bernreuther 2005, Lattice evaluation techniques, equations 3.30 to 3.54, the least redundancy kept without the edge
SELECT r.sentence, r.edge, CASE WHEN p.edge IS NULL THEN FALSE ELSE TRUE END AS on_oracle_path, r.hits, r.delta_redundancy,
       r.delta_sigma2, r.tau, r.tau_normalised
FROM edge_removals AS r
LEFT JOIN (SELECT o.sentence, unnest(o.path_edges) AS edge
           FROM oracle_paths AS o) AS p ON p.sentence = r.sentence AND p.edge = r.edge
