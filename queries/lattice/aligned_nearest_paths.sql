-- aligned_nearest_paths: the nearest path of every lattice with the edit operations that turn it into its reference; one row
--   per lattice.
-- kind: relation
-- engine: kernel: nearest_path or cheapest_path finds the path, edit_steps aligns its words
-- parameters: as oracle_paths (lattice_corpus, reference_corpus, other_corpora, empty_references)
-- parameters: as oracle_paths (substitution_cost, insertion_cost, deletion_cost, reordering)
-- column sentence INTEGER: its lattice
-- column reference VARCHAR: the corpus of the reference with fewest edits, the first if several tie
-- column n_reference_words INTEGER: number of words of that reference
-- column path_forms VARCHAR[]: the words of the path
-- column reference_forms VARCHAR[]: the words of the reference
-- column steps STRUCT(operation VARCHAR, hypothesis_position INTEGER, reference_position INTEGER)[]: the edit
--   operations in order, with the positions in the path and in the reference
-- source: Bernreuther 2005, Lattice evaluation techniques, equation 2.3; Wagner & Fischer 1974, The string-to-string
--   correction problem
SELECT o.sentence, o.reference, o.n_reference_words, o.path_forms, r.text_forms AS reference_forms,
       edit_steps(o.path_forms, r.text_forms) AS steps
FROM oracle_paths(measure := 'ger') AS o
JOIN reference_texts(numbered_as := $lattice_corpus) AS r ON r.sentence = o.sentence AND r.reference = o.reference
