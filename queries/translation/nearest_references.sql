-- nearest_references: the reference with fewest edits for every translation, and the edit operations; one row per
--   sentence.
-- kind: relation
-- engine: kernel: edit_steps aligns words
-- parameters: as position_independent_errors
-- parameter edit_weights TEXT(equal|sclite) = equal: which edits are fewest: equal: of as few, those that match most words;
--   sclite: a substitution weighs 4, an insertion or deletion 3
-- column sentence INTEGER: its sentence
-- column reference VARCHAR: the corpus of the reference; if several have the fewest edits, the first given, then by
--   name
-- column hypothesis_forms VARCHAR[]: the words of the hypothesis
-- column reference_forms VARCHAR[]: the words of the reference
-- column steps STRUCT(operation VARCHAR, hypothesis_position INTEGER, reference_position INTEGER)[]: the edit
--   operations in order, with the positions in both
-- source: Wagner & Fischer 1974, The string-to-string correction problem
SELECT b.sentence, b.reference, b.hypothesis_forms, b.reference_forms, b.steps
FROM (SELECT s.sentence, s.reference, s.hypothesis_forms, s.reference_forms, s.steps,
             row_number() OVER (PARTITION BY s.sentence
                                ORDER BY len(list_filter(s.steps, lambda x: x.operation <> 'match')), s.reference_rank,
                                         s.reference) AS nearness
      FROM (SELECT h.sentence, r.reference, r.reference_rank, h.text_forms AS hypothesis_forms, r.text_forms AS reference_forms,
                   CASE WHEN $edit_weights = 'sclite' THEN sclite_steps(h.text_forms, r.text_forms)
                        ELSE edit_steps(h.text_forms, r.text_forms) END AS steps
            FROM reference_texts(reference_corpus := $hypothesis_corpus, other_corpora := '') AS h
            JOIN reference_texts(numbered_as := $hypothesis_corpus) AS r ON r.sentence = h.sentence) AS s) AS b
WHERE b.nearness = 1
