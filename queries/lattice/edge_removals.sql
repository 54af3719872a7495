-- edge_removals: change of the standard word count distance when one edge is removed from its lattice; one row per
--   edge.
-- kind: relation
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as tau_span
-- audit lattice_correspondence
-- column sentence INTEGER: its lattice
-- column edge INTEGER: the edge, numbered from 0
-- column hits BIGINT: number of its words that a reference has
-- column redundancy_products BIGINT: sum over its words of their occurrences in the reference (a); of several
--   references, the largest count of each word
-- column delta_redundancy DOUBLE: change of P / D, the best-fitting redundancy, without a lower bound; NULL, as all
--   following columns, for an empty reference
-- column delta_sigma2 DOUBLE: change of the sum of squared differences (sigma squared)
-- column tau DOUBLE: ratio of sigma squared without the edge to that with it, minus the square of the same ratio of
--   redundancies: negative where removing the edge reduces the distance. -infinity where the redundancy is 0, else
--   +infinity where sigma is 0
-- column tau_normalised DOUBLE: tau times the number of edges of the lattice
-- source: Bernreuther 2005, Lattice evaluation techniques, equations 3.30 to 3.54, the least redundancy kept without the edge
SELECT d.sentence, d.edge, d.hits, d.redundancy_products, d.delta_redundancy, d.delta_sigma2, d.tau,
       d.n_edges * d.tau AS tau_normalised
FROM (SELECT c.sentence, c.edge, c.n_edges, c.hits, c.redundancy_products,
             CAST(-c.redundancy_products AS DOUBLE) / c.squares AS delta_redundancy,
             (c.sigma2_without - c.sigma2_with) / c.squares AS delta_sigma2,
             CASE WHEN c.squares IS NULL THEN NULL
                  WHEN c.taken_with <= 0 THEN CAST('-inf' AS DOUBLE)
                  WHEN c.sigma2_with <= 0 THEN CAST('inf' AS DOUBLE)
                  WHEN c.sigma2_without * (c.taken_with * c.taken_with) = c.sigma2_with * (c.taken_without * c.taken_without)
                  THEN CAST(0 AS DOUBLE)  -- whole numbers tell what a rounded difference may not
                  ELSE c.sigma2_without / c.sigma2_with
                       - (c.taken_without / c.taken_with) * (c.taken_without / c.taken_with) END AS tau
      FROM (SELECT b.sentence, b.edge, b.n_edges, b.hits, b.redundancy_products, b.squares, b.taken_with, b.taken_without,
                   b.lattice_squares * b.squares - 2 * b.taken_with * b.products + b.taken_with * b.taken_with
                       AS sigma2_with,
                   (b.lattice_squares - b.square_loss) * b.squares
                       - 2 * b.taken_without * (b.products - b.redundancy_products) + b.taken_without * b.taken_without
                       AS sigma2_without
            FROM (SELECT a.sentence, a.edge, a.n_edges, a.hits, a.redundancy_products, a.square_loss, a.products,
                         a.lattice_squares, a.squares,
                         CASE WHEN a.products < $min_redundancy * a.squares THEN $min_redundancy * a.squares
                              ELSE a.products END AS taken_with,
                         CASE WHEN a.products - a.redundancy_products < $min_redundancy * a.squares
                              THEN $min_redundancy * a.squares
                              ELSE a.products - a.redundancy_products END AS taken_without
                  FROM (SELECT x.sentence, x.edge, l.n_edges, coalesce(e.hits, 0) AS hits,
                               coalesce(e.redundancy_products, 0) AS redundancy_products,
                               CAST(coalesce(e.square_loss, 0) AS DOUBLE) AS square_loss,
                               CAST(coalesce(s.products, 0) AS DOUBLE) AS products,
                               CAST(coalesce(s.lattice_squares, 0) AS DOUBLE) AS lattice_squares,
                               CAST(nullif(s.reference_squares, 0) AS DOUBLE) AS squares
                        FROM lattice_edges AS x
                        JOIN lattices AS l ON l.sentence = x.sentence
                        LEFT JOIN (SELECT w.sentence,
                                          CAST(sum(w.lattice_count * w.reference_count) AS BIGINT) AS products,
                                          CAST(sum(w.lattice_count * w.lattice_count) AS BIGINT) AS lattice_squares,
                                          CAST(sum(w.reference_count * w.reference_count) AS BIGINT) AS reference_squares
                                   FROM word_counts AS w
                                   GROUP BY w.sentence) AS s ON s.sentence = x.sentence
                        LEFT JOIN (SELECT n.sentence, n.edge,
                                          CAST(sum(CASE WHEN w.reference_count > 0 THEN n.edge_count ELSE 0 END) AS BIGINT)
                                              AS hits,
                                          CAST(sum(n.edge_count * w.reference_count) AS BIGINT) AS redundancy_products,
                                          CAST(sum(n.edge_count * (2 * w.lattice_count - n.edge_count)) AS BIGINT)
                                              AS square_loss
                                   FROM (SELECT t.sentence, t.edge, t.form, count(*) AS edge_count
                                         FROM lattice_words AS t
                                         WHERE t.corpus = $lattice_corpus
                                         GROUP BY t.sentence, t.edge, t.form) AS n
                                   JOIN word_counts AS w ON w.sentence = n.sentence AND w.form = n.form
                                   GROUP BY n.sentence, n.edge) AS e ON e.sentence = x.sentence AND e.edge = x.edge
                        WHERE x.corpus = $lattice_corpus AND l.corpus = $lattice_corpus) AS a) AS b) AS c) AS d
