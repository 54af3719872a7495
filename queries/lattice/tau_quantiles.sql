-- tau_quantiles: distribution of tau over the edges of all lattices; one row per quantile.
-- kind: statistic
-- engine: duckdb: quantiles are computed together
-- parameters: as tau_span
-- audit lattice_correspondence
-- column quantile DOUBLE: share of the edges with smaller values; 0 for the smallest value, 1 for the largest
-- column tau DOUBLE: the quantile of tau, interpolated between two edges; infinite values are ignored
-- column tau_normalised DOUBLE: the quantile of tau times the number of edges of the lattice
-- source: Bernreuther 2005, Lattice evaluation techniques, equation 3.55 and figure 3.23
SELECT unnest(CAST([0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1] AS DOUBLE[])) AS quantile,
       unnest(s.taus) AS tau, unnest(s.taus_normalised) AS tau_normalised
FROM (SELECT quantile_cont(r.tau, [0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1]) AS taus,
             quantile_cont(r.tau_normalised, [0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1]) AS taus_normalised
      FROM edge_removals AS r
      WHERE r.tau > CAST('-inf' AS DOUBLE) AND r.tau < CAST('inf' AS DOUBLE)) AS s
