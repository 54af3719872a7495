-- word_count_distance: standard word count distance: differences between the word counts of lattices and references,
--   the latter multiplied by the best-fitting redundancy; one row per lattice.
-- kind: metric
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as tau_span (lattice_corpus, reference_corpus, other_corpora)
-- parameter min_redundancy DOUBLE(0..) = 1: lower bound of the redundancy; 0 for no bound
-- audit lattice_correspondence
-- column sentence INTEGER: its lattice
-- column products BIGINT: P, sum over words of lattice_count * reference_count
-- column lattice_squares BIGINT: Q, sum of lattice_count squared
-- column reference_squares BIGINT: D, sum of reference_count squared
-- column redundancy_estimate DOUBLE: P / D, the best-fitting redundancy; NULL for an empty reference
-- column deviation DOUBLE: square root of the sum of squared differences, divided by the redundancy; NULL where that is
--   0
-- column deviation_unbounded DOUBLE: the same without a lower bound of the redundancy; NULL where no word is shared
-- column scored_nodes BIGINT: nodes of the lattice; 0 for an empty reference
-- column scored_lattices BIGINT: 1 where it is defined
-- count undefined_lattices BIGINT: 1 for an empty reference, which leaves it undefined
-- column bounded_lattices BIGINT: 1 where the best-fitting redundancy is below min_redundancy
-- column unshared_lattices BIGINT: 1 where no word is shared
-- column infinite_lattices BIGINT: 1 where the distance is infinite: no word is shared and min_redundancy is 0
-- score swcd number lower = CASE WHEN sum(infinite_lattices) = 0 THEN sum(deviation) / nullif(sum(scored_nodes), 0)
--   END: standard word count distance; NULL where that of a lattice is infinite, which a lower bound above 0 excludes
-- score swcd_unbounded number lower = CASE WHEN sum(unshared_lattices) = 0 THEN sum(deviation_unbounded) /
--   nullif(sum(scored_nodes), 0) END: swcd without a lower bound of the redundancy; NULL where a lattice shares no
--   word with its reference
-- score redundancy number neither = sum(redundancy_estimate) / nullif(sum(scored_lattices), 0): mean of the
--   best-fitting redundancies
-- score under_bound percent neither = sum(bounded_lattices) / nullif(sum(scored_lattices), 0): share of lattices at the
--   lower bound
-- source: Bernreuther 2005, Lattice evaluation techniques, equations 3.15 to 3.22, with a maximum in 3.22
SELECT d.sentence, d.products, d.lattice_squares, d.reference_squares, d.redundancy_estimate,
       CASE WHEN d.redundancy_estimate >= $min_redundancy AND d.redundancy_estimate > 0 THEN d.deviation_unbounded
            WHEN d.redundancy_estimate < $min_redundancy
            THEN sqrt(d.lattice_squares - 2 * $min_redundancy * d.products
                      + $min_redundancy * $min_redundancy * d.reference_squares) / $min_redundancy END AS deviation,
       d.deviation_unbounded,
       CASE WHEN d.reference_squares > 0 THEN d.n_nodes ELSE 0 END AS scored_nodes,
       CAST(CASE WHEN d.reference_squares > 0 THEN 1 ELSE 0 END AS BIGINT) AS scored_lattices,
       CAST(CASE WHEN d.reference_squares > 0 THEN 0 ELSE 1 END AS BIGINT) AS undefined_lattices,
       CAST(CASE WHEN d.redundancy_estimate < $min_redundancy THEN 1 ELSE 0 END AS BIGINT) AS bounded_lattices,
       CAST(CASE WHEN d.reference_squares > 0 AND d.products = 0 THEN 1 ELSE 0 END AS BIGINT) AS unshared_lattices,
       CAST(CASE WHEN d.reference_squares > 0 AND d.products = 0 AND $min_redundancy <= 0 THEN 1 ELSE 0 END AS BIGINT)
           AS infinite_lattices
FROM (SELECT s.sentence, s.n_nodes, s.products, s.lattice_squares, s.reference_squares,
             CAST(s.products AS DOUBLE) / nullif(s.reference_squares, 0) AS redundancy_estimate,
             CASE WHEN s.products > 0
                  THEN sqrt(CASE WHEN CAST(s.lattice_squares AS DOUBLE) * s.reference_squares
                                      > CAST(s.products AS DOUBLE) * s.products
                                 THEN s.lattice_squares - CAST(s.products AS DOUBLE) * s.products / s.reference_squares
                                 ELSE CAST(0 AS DOUBLE) END)
                       * s.reference_squares / s.products END AS deviation_unbounded
      FROM (SELECT l.sentence, CAST(l.n_nodes AS BIGINT) AS n_nodes, coalesce(c.products, 0) AS products,
                   coalesce(c.lattice_squares, 0) AS lattice_squares, coalesce(c.reference_squares, 0) AS reference_squares
            FROM lattices AS l
            LEFT JOIN (SELECT w.sentence, CAST(sum(w.lattice_count * w.reference_count) AS BIGINT) AS products,
                              CAST(sum(w.lattice_count * w.lattice_count) AS BIGINT) AS lattice_squares,
                              CAST(sum(w.reference_count * w.reference_count) AS BIGINT) AS reference_squares
                       FROM word_counts AS w
                       GROUP BY w.sentence) AS c ON c.sentence = l.sentence
            WHERE l.corpus = $lattice_corpus) AS s) AS d
