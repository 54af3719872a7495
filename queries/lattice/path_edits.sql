-- path_edits: edit operations that turn the nearest path of a lattice into its reference; one row per step.
-- kind: metric
-- engine: kernel: nearest_path or cheapest_path finds the path, edit_steps aligns its words
-- parameters: as graph_error
-- audit lattice_correspondence
-- column sentence INTEGER: its lattice
-- column step INTEGER: 1-based number of the step in the lattice
-- column reference VARCHAR: the corpus of the reference with fewest edits
-- column reference_length INTEGER: number of words of that reference
-- column operation VARCHAR: match, substitution, insertion (an extra word of the path) or deletion (a word of the reference
--   that the path lacks)
-- column path_word INTEGER: position in the path; NULL for a deletion
-- column path_form VARCHAR: the word there
-- column reference_word INTEGER: position in the reference; NULL for an insertion
-- column reference_form VARCHAR: the word there
-- count ger BIGINT: 1 for a step that is no match; an exchange of two words is two steps
-- column reference_words BIGINT: 1 if there is a word of the reference
-- score path_error_rate percent lower = sum(ger) / nullif(sum(reference_words), 0): ger_rate, edits per word of the references
-- source: Bernreuther 2005, Lattice evaluation techniques, equation 2.3; Wagner & Fischer 1974, The string-to-string
--   correction problem
SELECT s.sentence, CAST(s.step AS INTEGER) AS step, s.reference, s.n_reference_words AS reference_length,
       s.taken.operation AS operation, s.taken.hypothesis_position AS path_word,
       s.path_forms[s.taken.hypothesis_position] AS path_form, s.taken.reference_position AS reference_word,
       s.reference_forms[s.taken.reference_position] AS reference_form,
       CAST(CASE WHEN s.taken.operation = 'match' THEN 0 ELSE 1 END AS BIGINT) AS ger,
       CAST(CASE WHEN s.taken.reference_position IS NULL THEN 0 ELSE 1 END AS BIGINT) AS reference_words
FROM (SELECT a.sentence, a.reference, a.n_reference_words, a.path_forms, a.reference_forms,
             unnest(range(1, len(a.steps) + 1)) AS step, unnest(a.steps) AS taken
      FROM aligned_nearest_paths AS a) AS s
