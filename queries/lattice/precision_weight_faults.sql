-- precision_weight_faults: weights of n-gram precisions that are none; one row per fault.
-- kind: audit
-- engine: duckdb: weights are a list in a text
-- parameters: as edge_n_grams (lattice_corpus, precision_weights)
-- columns: as tree_correspondence
-- source: Bernreuther 2005, Lattice evaluation techniques, 3.2.6
SELECT c.corpus AS file, CAST(0 AS BIGINT) AS line,
       'precision_weights are ' || $precision_weights || ', not one to four numbers from 0 on, of which one is larger' AS problem,
       'separate a number for each order by commas, such as 0.5,0.5' AS hint
FROM corpora AS c
WHERE c.corpus = $lattice_corpus
  AND (len(string_split($precision_weights, ',')) > 4
       OR len(list_filter(TRY_CAST(string_split($precision_weights, ',') AS DOUBLE[]), lambda x: isfinite(x) AND x >= 0))
           IS DISTINCT FROM len(string_split($precision_weights, ','))
       OR list_max(TRY_CAST(string_split($precision_weights, ',') AS DOUBLE[])) = 0)
