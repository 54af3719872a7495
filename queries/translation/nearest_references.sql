-- nearest_references: the reference with fewest edits for every translation, and the edit operations; one row per
--   sentence.
-- kind: relation
-- engine: kernel: edit_steps aligns words
-- parameters: as position_independent_errors
-- parameter edit_weights TEXT(equal|sclite) = equal: which edits are fewest: equal: of as few, those that match most words;
--   sclite: a substitution weighs 4, an insertion or deletion 3
-- column sentence INTEGER: its sentence
-- column reference VARCHAR: the corpus of the reference; if several have the fewest edits, the first given
-- column hypothesis_forms VARCHAR[]: the words of the hypothesis
-- column reference_forms VARCHAR[]: the words of the reference
-- column steps STRUCT(operation VARCHAR, hypothesis_position INTEGER, reference_position INTEGER)[]: the edit
--   operations in order, with the positions in both
-- source: Wagner & Fischer 1974, The string-to-string correction problem
SELECT s.sentence, s.reference, s.hypothesis_forms, s.reference_forms, s.steps
FROM aligned_references AS s
WHERE $other_corpora = ''
UNION ALL
SELECT b.sentence, b.reference, b.hypothesis_forms, b.reference_forms, b.steps
FROM (SELECT a.sentence, a.reference, a.hypothesis_forms, a.reference_forms, a.steps,
             row_number() OVER (PARTITION BY a.sentence
                                ORDER BY len(list_filter(a.steps, lambda x: x.operation <> 'match')), a.reference_rank,
                                         a.reference) AS nearness
      FROM aligned_references AS a
      WHERE $other_corpora <> '') AS b
WHERE b.nearness = 1
