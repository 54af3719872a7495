-- translation_errors: translations with errors, aligned with the nearest reference word by word; one row per sentence with an
--   error.
-- kind: statistic
-- engine: kernel: edit_steps aligns words
-- parameters: as nearest_references
-- audit translation_correspondence
-- column sentence INTEGER: its sentence
-- column sent_id VARCHAR: its sent_id
-- column reference VARCHAR: the corpus of the reference with fewest edits, the first if several tie
-- column edits BIGINT: number of words that are inserted, deleted or substituted
-- column operations VARCHAR[]: the steps in order: match, substitution, insertion or deletion
-- column reference_words VARCHAR[]: the word of the reference of every step, *** for an insertion
-- column hypothesis_words VARCHAR[]: the word of the hypothesis of every step, *** for a deletion
-- source: Wagner & Fischer 1974, The string-to-string correction problem; NIST, SCTK 2.4, sclite (aligned words)
SELECT n.sentence, s.sent_id, n.reference,
       CAST(len(list_filter(n.steps, lambda x: x.operation <> 'match')) AS BIGINT) AS edits,
       list_transform(n.steps, lambda x: x.operation) AS operations,
       list_transform(n.steps, lambda x: coalesce(n.reference_forms[x.reference_position], '***')) AS reference_words,
       list_transform(n.steps, lambda x: coalesce(n.hypothesis_forms[x.hypothesis_position], '***')) AS hypothesis_words
FROM nearest_references AS n
JOIN sentences AS s ON s.corpus = $hypothesis_corpus AND s.sentence = n.sentence
WHERE len(list_filter(n.steps, lambda y: y.operation <> 'match')) > 0
ORDER BY n.sentence
