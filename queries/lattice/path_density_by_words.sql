-- path_density_by_words: numbers of paths of lattices for each word of the reference; one row per lattice.
-- kind: metric
-- engine: kernel: log_path_count counts paths
-- parameters: as oracle_paths (lattice_corpus, reference_corpus, other_corpora, empty_references)
-- audit lattice_correspondence
-- column sentence INTEGER: its lattice
-- column log_paths DOUBLE: the natural logarithm of the number of its paths; paths with the same words count each
-- column first_reference_words BIGINT: words of the first reference
-- score word_root_density number neither = exp(sum(log_paths) / nullif(CAST(sum(first_reference_words) AS DOUBLE), 0)): the
--   N-th root of the number of paths, N the words of the first reference; of several lattices of the product of their paths
--   and the sum of these words
-- source: Bernreuther 2005, Lattice evaluation techniques, footnote 16, by words instead of nodes
SELECT l.sentence, nullif(log_path_count(l.n_nodes, l.edges), CAST('-inf' AS DOUBLE)) AS log_paths, CAST(r.n_words AS BIGINT) AS first_reference_words
FROM lattice_lists AS l
JOIN (SELECT t.sentence, t.n_words, row_number() OVER (PARTITION BY t.sentence ORDER BY t.reference_rank, t.reference) AS place
      FROM reference_texts(numbered_as := $lattice_corpus) AS t) AS r ON r.sentence = l.sentence AND r.place = 1
WHERE l.corpus = $lattice_corpus
