-- word_set_graph_error_rate: smallest position-independent error rate, per word of the path, over the paths of a
--   lattice; one row per lattice.
-- kind: metric
-- engine: kernel: nearest_bag_per_word finds the path
-- parameters: as oracle_paths (lattice_corpus, reference_corpus, other_corpora, empty_references)
-- audit lattice_correspondence
-- column sentence INTEGER: its lattice
-- column reference VARCHAR: the corpus of the reference for which it is smallest
-- column gper_errors BIGINT: PMED of that path; NULL where no path has words
-- column gper_words BIGINT: words of that path
-- column gper_quotient DOUBLE: gper_errors / gper_words
-- column gper_lattices BIGINT: 1 where it is defined
-- count gper_unproven BIGINT: 1 if a path with a smaller rate may exist
-- count gper_proven BIGINT: 1 if it is proven that no path has a smaller rate, 0 if one may exist
-- score gper percent lower = sum(gper_quotient) / nullif(sum(gper_lattices), 0): graph position-independent error rate, the mean
--   over lattices
-- score gper_micro percent lower = sum(gper_errors) / nullif(sum(gper_words), 0): PMED of all those paths per word
-- source: Bernreuther 2005, Lattice evaluation techniques, equations 2.1 and 2.13
SELECT o.sentence, o.reference, CAST(o.path_errors AS BIGINT) AS gper_errors, CAST(o.path_words AS BIGINT) AS gper_words,
       CAST(o.path_errors AS DOUBLE) / o.path_words AS gper_quotient,
       CAST(CASE WHEN o.path_errors IS NULL THEN 0 ELSE 1 END AS BIGINT) AS gper_lattices,
       CAST(CASE WHEN o.proven OR o.path_errors IS NULL THEN 0 ELSE 1 END AS BIGINT) AS gper_unproven,
       CAST(CASE WHEN o.proven THEN 1 ELSE 0 END AS BIGINT) AS gper_proven
FROM oracle_paths(measure := 'gper') AS o
