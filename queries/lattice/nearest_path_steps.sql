-- nearest_path_steps: lattices whose nearest path is no reference, the path aligned with the nearest reference word by word;
--   one row per lattice with an error.
-- kind: statistic
-- engine: kernel: nearest_path or cheapest_path finds paths, edit_steps aligns words
-- parameters: as oracle_paths (lattice_corpus, reference_corpus, other_corpora, empty_references)
-- parameters: as oracle_paths (substitution_cost, insertion_cost, deletion_cost, reordering)
-- audit lattice_correspondence
-- columns: as translation_errors
-- source: Bernreuther 2005, Lattice evaluation techniques, equation 2.3; Wagner & Fischer 1974, The string-to-string correction
--   problem; NIST, SCTK 2.4, sclite (aligned words)
SELECT n.sentence, s.sent_id, n.reference,
       CAST(len(list_filter(n.steps, lambda x: x.operation <> 'match')) AS BIGINT) AS edits,
       list_transform(n.steps, lambda x: x.operation) AS operations,
       list_transform(n.steps, lambda x: coalesce(n.reference_forms[x.reference_position], '***')) AS reference_words,
       list_transform(n.steps, lambda x: coalesce(n.path_forms[x.hypothesis_position], '***')) AS hypothesis_words
FROM aligned_nearest_paths AS n
JOIN sentences AS s ON s.corpus = $lattice_corpus AND s.sentence = n.sentence
WHERE len(list_filter(n.steps, lambda y: y.operation <> 'match')) > 0
ORDER BY n.sentence
