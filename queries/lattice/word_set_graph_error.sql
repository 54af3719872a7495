-- word_set_graph_error: smallest position-independent edit distance between a path of a lattice and a reference; one
--   row per lattice.
-- kind: metric
-- engine: kernel: nearest_bag finds the path
-- parameters: as oracle_paths (lattice_corpus, reference_corpus, other_corpora, empty_references)
-- audit lattice_correspondence
-- column sentence INTEGER: its lattice
-- column reference VARCHAR: the corpus of the reference with fewest errors
-- count pmed BIGINT: position-independent edit distance of its best path
-- count proven BIGINT: 1 if it is proven optimal, 0 if a better path may exist
-- count unproven BIGINT: the opposite of proven: 1 if a better path may exist
-- column least_pmed DOUBLE: lower bound for all paths
-- column reference_words BIGINT: words of that reference
-- score pmed_rate percent lower = sum(pmed) / nullif(sum(reference_words), 0): errors per word of the references
-- source: Bernreuther 2005, Lattice evaluation techniques, equation 2.13
SELECT o.sentence, o.reference, CAST(o.path_errors AS BIGINT) AS pmed,
       CAST(CASE WHEN o.proven THEN 1 ELSE 0 END AS BIGINT) AS proven,
       CAST(CASE WHEN o.proven THEN 0 ELSE 1 END AS BIGINT) AS unproven, o.least AS least_pmed,
       CAST(o.n_reference_words AS BIGINT) AS reference_words
FROM oracle_paths(measure := 'pmed') AS o
