-- graph_word_error: smallest word error rate, per word of the path, over the paths of a lattice; one row per lattice.
-- kind: metric
-- engine: kernel: nearest_path_per_word finds the path
-- parameters: as oracle_paths (lattice_corpus, reference_corpus, other_corpora, empty_references)
-- audit lattice_correspondence
-- column sentence INTEGER: its lattice
-- column reference VARCHAR: the corpus of the reference for which it is smallest
-- column gwer_edits BIGINT: edits of that path, the fewest if several tie; NULL where no path has words
-- column gwer_words BIGINT: words of that path
-- column gwer_quotient DOUBLE: gwer_edits / gwer_words
-- column gwer_lattices BIGINT: 1 where it is defined
-- score gwer percent lower = sum(gwer_quotient) / nullif(sum(gwer_lattices), 0): graph word error rate, the mean over lattices
-- score gwer_micro percent lower = sum(gwer_edits) / nullif(sum(gwer_words), 0): edits of all those paths per word
-- source: Bernreuther 2005, Lattice evaluation techniques, equation 2.1
SELECT o.sentence, o.reference, CAST(o.path_errors AS BIGINT) AS gwer_edits, CAST(o.path_words AS BIGINT) AS gwer_words,
       CAST(o.path_errors AS DOUBLE) / o.path_words AS gwer_quotient,
       CAST(CASE WHEN o.path_errors IS NULL THEN 0 ELSE 1 END AS BIGINT) AS gwer_lattices
FROM oracle_paths(measure := 'gwer') AS o
