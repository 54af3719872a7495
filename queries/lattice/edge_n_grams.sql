-- edge_n_grams: the n-grams of up to four words inside edges, and whether a reference has them; one row per lattice and
--   n-gram.
-- kind: metric
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as tau_span (lattice_corpus, reference_corpus, other_corpora)
-- parameter precision_weights TEXT = 0.25,0.25,0.25,0.25: weights of edge_precision_1, _2, ... in edge_precision, separated by
--   commas; as many as there are orders, four at most: 1 is of words alone, 0,1 of pairs
-- audit lattice_correspondence
-- audit precision_weight_faults
-- column sentence INTEGER: its lattice
-- column n_gram_order INTEGER: number of words
-- column n_gram VARCHAR: the words, with blanks between
-- column occurrences BIGINT: number of occurrences on edges of the lattice
-- column edge_n_grams_1 BIGINT: the same if it has 1 word, else 0
-- column edge_matches_1 BIGINT: the same if it also occurs in a reference
-- column edge_n_grams_2 BIGINT: the same if it has 2 words, else 0
-- column edge_matches_2 BIGINT: the same if it also occurs in a reference
-- column edge_n_grams_3 BIGINT: the same if it has 3 words, else 0
-- column edge_matches_3 BIGINT: the same if it also occurs in a reference
-- column edge_n_grams_4 BIGINT: the same if it has 4 words, else 0
-- column edge_matches_4 BIGINT: the same if it also occurs in a reference
-- column weighted_matches_1 DOUBLE: edge_matches_1 times the weight of its order
-- column unweighted_1 BIGINT: 1 if the weight of 1-grams is 0
-- column weighted_matches_2 DOUBLE: edge_matches_2 times the weight of its order
-- column unweighted_2 BIGINT: 1 if the weight of 2-grams is 0
-- column weighted_matches_3 DOUBLE: edge_matches_3 times the weight of its order
-- column unweighted_3 BIGINT: 1 if the weight of 3-grams is 0
-- column weighted_matches_4 DOUBLE: edge_matches_4 times the weight of its order
-- column unweighted_4 BIGINT: 1 if the weight of 4-grams is 0
-- term part_1 = CASE WHEN sum(unweighted_1) > 0 THEN CAST(0 AS DOUBLE) ELSE sum(weighted_matches_1) / nullif(CAST(sum(edge_n_grams_1) AS DOUBLE), 0) END
-- term part_2 = CASE WHEN sum(unweighted_2) > 0 THEN CAST(0 AS DOUBLE) ELSE sum(weighted_matches_2) / nullif(CAST(sum(edge_n_grams_2) AS DOUBLE), 0) END
-- term part_3 = CASE WHEN sum(unweighted_3) > 0 THEN CAST(0 AS DOUBLE) ELSE sum(weighted_matches_3) / nullif(CAST(sum(edge_n_grams_3) AS DOUBLE), 0) END
-- term part_4 = CASE WHEN sum(unweighted_4) > 0 THEN CAST(0 AS DOUBLE) ELSE sum(weighted_matches_4) / nullif(CAST(sum(edge_n_grams_4) AS DOUBLE), 0) END
-- score edge_precision_1 percent higher = sum(edge_matches_1) / nullif(sum(edge_n_grams_1), 0): share of the 1-grams
--   inside edges that references have
-- score edge_precision_2 percent higher = sum(edge_matches_2) / nullif(sum(edge_n_grams_2), 0): share of the 2-grams
--   inside edges that references have
-- score edge_precision_3 percent higher = sum(edge_matches_3) / nullif(sum(edge_n_grams_3), 0): share of the 3-grams
--   inside edges that references have
-- score edge_precision_4 percent higher = sum(edge_matches_4) / nullif(sum(edge_n_grams_4), 0): share of the 4-grams
--   inside edges that references have
-- score edge_precision percent higher = {part_1} + {part_2} + {part_3} + {part_4}: the weighted sum of the four, by default
--   their mean; NULL if an order that has a weight has no n-grams
-- source: Bernreuther 2005, Lattice evaluation techniques, 3.2.6
SELECT g.sentence, g.n_gram_order, replace(g.n_gram, chr(31), ' ') AS n_gram, g.occurrences,
       CASE WHEN g.n_gram_order = 1 THEN g.occurrences ELSE 0 END AS edge_n_grams_1,
       CASE WHEN g.n_gram_order = 1 AND r.n_gram IS NOT NULL THEN g.occurrences ELSE 0 END AS edge_matches_1,
       CASE WHEN g.n_gram_order = 2 THEN g.occurrences ELSE 0 END AS edge_n_grams_2,
       CASE WHEN g.n_gram_order = 2 AND r.n_gram IS NOT NULL THEN g.occurrences ELSE 0 END AS edge_matches_2,
       CASE WHEN g.n_gram_order = 3 THEN g.occurrences ELSE 0 END AS edge_n_grams_3,
       CASE WHEN g.n_gram_order = 3 AND r.n_gram IS NOT NULL THEN g.occurrences ELSE 0 END AS edge_matches_3,
       CASE WHEN g.n_gram_order = 4 THEN g.occurrences ELSE 0 END AS edge_n_grams_4,
       CASE WHEN g.n_gram_order = 4 AND r.n_gram IS NOT NULL THEN g.occurrences ELSE 0 END AS edge_matches_4,
       CASE WHEN g.n_gram_order = 1 AND r.n_gram IS NOT NULL THEN g.occurrences * w.weight_1 ELSE CAST(0 AS DOUBLE) END
           AS weighted_matches_1,
       CAST(CASE WHEN w.weight_1 = 0 THEN 1 ELSE 0 END AS BIGINT) AS unweighted_1,
       CASE WHEN g.n_gram_order = 2 AND r.n_gram IS NOT NULL THEN g.occurrences * w.weight_2 ELSE CAST(0 AS DOUBLE) END
           AS weighted_matches_2,
       CAST(CASE WHEN w.weight_2 = 0 THEN 1 ELSE 0 END AS BIGINT) AS unweighted_2,
       CASE WHEN g.n_gram_order = 3 AND r.n_gram IS NOT NULL THEN g.occurrences * w.weight_3 ELSE CAST(0 AS DOUBLE) END
           AS weighted_matches_3,
       CAST(CASE WHEN w.weight_3 = 0 THEN 1 ELSE 0 END AS BIGINT) AS unweighted_3,
       CASE WHEN g.n_gram_order = 4 AND r.n_gram IS NOT NULL THEN g.occurrences * w.weight_4 ELSE CAST(0 AS DOUBLE) END
           AS weighted_matches_4,
       CAST(CASE WHEN w.weight_4 = 0 THEN 1 ELSE 0 END AS BIGINT) AS unweighted_4
FROM (SELECT n.sentence, n.n_gram_order, n.n_gram, CAST(count(*) AS BIGINT) AS occurrences
      FROM (SELECT w.sentence, o.n_gram_order,
                   CASE o.n_gram_order WHEN 1 THEN w.form WHEN 2 THEN w.form || chr(31) || w.form_2
                       WHEN 3 THEN w.form || chr(31) || w.form_2 || chr(31) || w.form_3
                       ELSE w.form || chr(31) || w.form_2 || chr(31) || w.form_3 || chr(31) || w.form_4 END AS n_gram
            FROM (SELECT x.sentence, x.form,
                         lead(x.form, 1) OVER (PARTITION BY x.sentence, x.edge ORDER BY x.position) AS form_2,
                         lead(x.form, 2) OVER (PARTITION BY x.sentence, x.edge ORDER BY x.position) AS form_3,
                         lead(x.form, 3) OVER (PARTITION BY x.sentence, x.edge ORDER BY x.position) AS form_4
                  FROM lattice_words AS x
                  WHERE x.corpus = $lattice_corpus) AS w
            CROSS JOIN (SELECT 1 AS n_gram_order UNION ALL SELECT 2 AS n_gram_order UNION ALL SELECT 3 AS n_gram_order UNION ALL
                        SELECT 4 AS n_gram_order) AS o) AS n
      WHERE n.n_gram IS NOT NULL  -- too few words follow
      GROUP BY n.sentence, n.n_gram_order, n.n_gram) AS g
LEFT JOIN (SELECT DISTINCT t.sentence, t.n_gram_order, t.n_gram
           FROM text_n_grams(numbered_as := $lattice_corpus) AS t) AS r
    ON r.sentence = g.sentence AND r.n_gram_order = g.n_gram_order AND r.n_gram = g.n_gram
CROSS JOIN (SELECT coalesce(CAST(string_split($precision_weights, ',')[1] AS DOUBLE), 0) AS weight_1,
                   coalesce(CAST(string_split($precision_weights, ',')[2] AS DOUBLE), 0) AS weight_2,
                   coalesce(CAST(string_split($precision_weights, ',')[3] AS DOUBLE), 0) AS weight_3,
                   coalesce(CAST(string_split($precision_weights, ',')[4] AS DOUBLE), 0) AS weight_4) AS w
