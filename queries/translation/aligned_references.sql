-- aligned_references: the edit operations that turn every translation into each of its references; one row per sentence and
--   reference.
-- kind: relation
-- engine: kernel: edit_steps aligns words
-- parameters: as nearest_references
-- column sentence INTEGER: its sentence
-- column reference VARCHAR: the corpus of the reference
-- column reference_rank INTEGER: 0 for the first reference, greater for later ones
-- column hypothesis_forms VARCHAR[]: the words of the hypothesis
-- column reference_forms VARCHAR[]: the words of the reference
-- column steps STRUCT(operation VARCHAR, hypothesis_position INTEGER, reference_position INTEGER)[]: the edit
--   operations in order, with the positions in both
-- source: Wagner & Fischer 1974, The string-to-string correction problem
SELECT h.sentence, r.reference, r.reference_rank, h.text_forms AS hypothesis_forms, r.text_forms AS reference_forms,
       CASE WHEN $edit_weights = 'sclite' THEN sclite_steps(h.text_forms, r.text_forms)
            ELSE edit_steps(h.text_forms, r.text_forms) END AS steps
FROM reference_texts(reference_corpus := $hypothesis_corpus, other_corpora := '') AS h
JOIN reference_texts(numbered_as := $hypothesis_corpus) AS r ON r.sentence = h.sentence
