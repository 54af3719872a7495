-- decoding_errors: errors of the path of a lattice with the best scores, split into those that no path avoids and those that its
--   scores cause; one row per lattice.
-- kind: metric
-- engine: kernel: best_scored_path and nearest_path find paths
-- parameters: as oracle_paths (lattice_corpus, reference_corpus, other_corpora, empty_references, edge_weights)
-- audit lattice_correspondence
-- audit edge_score_faults
-- column sentence INTEGER: its lattice
-- column reference VARCHAR: the corpus of the reference that the best path is nearest to
-- count best_errors BIGINT: edits of the path with the best scores
-- count oracle_errors BIGINT: edits of the nearest path, which no path avoids (GER)
-- count model_errors BIGINT: the difference: edits that a path with worse scores avoids
-- count model_error_lattices BIGINT: 1 if there is such a path
-- column best_reference_words BIGINT: words of that reference
-- score best_error_rate percent lower = sum(best_errors) / nullif(sum(best_reference_words), 0): word error rate of the paths
--   with the best scores
-- score oracle_error_rate percent lower = sum(oracle_errors) / nullif(sum(best_reference_words), 0): its part that no path
--   avoids
-- score model_error_rate percent lower = sum(model_errors) / nullif(sum(best_reference_words), 0): its part that the scores
--   cause
-- source: Bernreuther 2005, Lattice evaluation techniques, 2.2.3 (model errors)
SELECT b.sentence, b.reference, CAST(b.path_errors AS BIGINT) AS best_errors, CAST(o.path_errors AS BIGINT) AS oracle_errors,
       CAST(b.path_errors - o.path_errors AS BIGINT) AS model_errors,
       CAST(CASE WHEN b.path_errors > o.path_errors THEN 1 ELSE 0 END AS BIGINT) AS model_error_lattices,
       CAST(b.n_reference_words AS BIGINT) AS best_reference_words
FROM best_path_errors AS b
JOIN oracle_paths(measure := 'ger') AS o ON o.sentence = b.sentence
