-- posterior_word_distance: standard word count distance of words that count as much as the posteriors of their edges; one row
--   per lattice.
-- kind: metric
-- engine: kernel: path_posteriors sums over paths
-- parameters: as word_count_distance (lattice_corpus, reference_corpus, other_corpora, min_redundancy)
-- parameters: as edge_posteriors (edge_weights, scale)
-- audit lattice_correspondence
-- audit edge_score_faults
-- column sentence INTEGER: its lattice
-- column expected_products DOUBLE: sum over words of the posterior count and the count in the reference, multiplied
-- column expected_squares DOUBLE: sum of the squared posterior counts
-- column posterior_redundancy DOUBLE: the best-fitting redundancy; NULL for an empty reference
-- column posterior_deviation DOUBLE: square root of the sum of squared differences, divided by the redundancy; NULL where that
--   is 0
-- column posterior_nodes BIGINT: nodes of the lattice; 0 for an empty reference
-- column posterior_infinite BIGINT: 1 where the distance is infinite: no word is shared and min_redundancy is 0
-- score swcd_posterior number lower = CASE WHEN sum(posterior_infinite) = 0
--   THEN sum(posterior_deviation) / nullif(sum(posterior_nodes), 0) END: standard word count distance of posterior counts; NULL
--   where that of a lattice is infinite
-- source: Bernreuther 2005, Lattice evaluation techniques, equations 3.15 to 3.22 and page 43 (criteria reinterpreted with
--   probabilities); Wessel et al. 2001 (posteriors)
SELECT d.sentence, d.expected_products, d.expected_squares, d.posterior_redundancy,
       CASE WHEN d.redundancy > 0
            THEN sqrt(greatest(d.expected_squares - 2 * d.redundancy * d.expected_products
                               + d.redundancy * d.redundancy * d.reference_squares, CAST(0 AS DOUBLE)))
                 / d.redundancy END AS posterior_deviation,
       CASE WHEN d.reference_squares > 0 THEN d.n_nodes ELSE 0 END AS posterior_nodes,
       CAST(CASE WHEN d.redundancy <= 0 THEN 1 ELSE 0 END AS BIGINT) AS posterior_infinite
FROM (SELECT s.sentence, s.n_nodes, s.expected_products, s.expected_squares, s.reference_squares,
             s.expected_products / nullif(s.reference_squares, 0) AS posterior_redundancy,
             CASE WHEN s.reference_squares > 0
                  THEN greatest(s.expected_products / s.reference_squares, CAST($min_redundancy AS DOUBLE)) END AS redundancy
      FROM (SELECT l.sentence, CAST(l.n_nodes AS BIGINT) AS n_nodes, coalesce(c.expected_products, 0) AS expected_products,
                   coalesce(c.expected_squares, 0) AS expected_squares,
                   CAST(coalesce(c.reference_squares, 0) AS DOUBLE) AS reference_squares
            FROM lattices AS l
            LEFT JOIN (SELECT w.sentence,
                              CAST(sum(CAST(round(coalesce(p.expected_count, 0) * w.reference_count * 1099511627776.0) AS HUGEINT))
                                   AS DOUBLE) / 1099511627776.0 AS expected_products,
                              CAST(sum(CAST(round(coalesce(p.expected_count, 0) * coalesce(p.expected_count, 0)
                                                  * 1099511627776.0) AS HUGEINT)) AS DOUBLE)
                                   / 1099511627776.0 AS expected_squares,
                              CAST(sum(w.reference_count * w.reference_count) AS BIGINT) AS reference_squares
                       FROM word_counts AS w
                       LEFT JOIN (SELECT x.sentence, x.form,
                                         CAST(sum(CAST(round(e.posterior * 1099511627776.0) AS HUGEINT)) AS DOUBLE)
                                             / 1099511627776.0 AS expected_count
                                  FROM lattice_words AS x
                                  JOIN edge_posteriors AS e ON e.sentence = x.sentence AND e.edge = x.edge
                                  WHERE x.corpus = $lattice_corpus
                                  GROUP BY x.sentence, x.form) AS p ON p.sentence = w.sentence AND p.form = w.form
                       GROUP BY w.sentence) AS c ON c.sentence = l.sentence
            WHERE l.corpus = $lattice_corpus) AS s) AS d
