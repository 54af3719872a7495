-- graph_error: smallest edit distance between a path of a lattice and a reference; one row per lattice.
-- kind: metric
-- engine: kernel: nearest_path finds the path
-- parameters: as oracle_paths (lattice_corpus, reference_corpus, other_corpora, empty_references)
-- audit lattice_correspondence
-- column sentence INTEGER: its lattice
-- column reference VARCHAR: the corpus of the reference with fewest edits
-- count ger BIGINT: graph error, the edits of its best path
-- column reference_words BIGINT: words of that reference
-- score ger_rate percent lower = sum(ger) / nullif(sum(reference_words), 0): graph error rate, edits per word of the
--   references
-- source: Bernreuther 2005, Lattice evaluation techniques, equation 2.3
SELECT o.sentence, o.reference, CAST(o.path_errors AS BIGINT) AS ger, CAST(o.n_reference_words AS BIGINT) AS reference_words
FROM oracle_paths(measure := 'ger') AS o
