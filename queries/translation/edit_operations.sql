-- edit_operations: edit operations that turn translations into the nearest reference; one row per step.
-- kind: metric
-- engine: kernel: edit_steps aligns words
-- parameters: as nearest_references
-- audit translation_correspondence
-- totals edit_totals
-- column sentence INTEGER: its sentence
-- column step INTEGER: 1-based number of the step in the sentence
-- column reference VARCHAR: the corpus of the reference with fewest edits, the first if several tie
-- column reference_length INTEGER: number of words of that reference
-- column operation VARCHAR: match, substitution, insertion (an extra word of the hypothesis) or deletion (a word of the
--   reference that the hypothesis lacks), as in the tools of NIST
-- column hypothesis_word INTEGER: position in the hypothesis; NULL for a deletion
-- column hypothesis_form VARCHAR: the word there
-- column reference_word INTEGER: position in the reference; NULL for an insertion
-- column reference_form VARCHAR: the word there
-- count hits BIGINT: 1 for a match
-- count substitutions BIGINT: 1 for a substitution
-- count insertions BIGINT: 1 for an insertion
-- count deletions BIGINT: 1 for a deletion
-- column edits BIGINT: 1 for any of the last three
-- count hypothesis_words BIGINT: 1 if there is a word of the hypothesis
-- count reference_words BIGINT: 1 if there is a word of the reference
-- score wer percent lower = sum(edits) / nullif(sum(reference_words), 0): word error rate, edits per word of the
--   reference
-- score wer_hypothesis percent lower = sum(edits) / nullif(sum(hypothesis_words), 0): edits per word of the hypothesis
-- score mer percent lower = CAST(sum(edits) AS DOUBLE) / nullif(sum(edits) + sum(hits), 0): match error rate, edits per step
-- score wil percent lower = CASE WHEN (sum(hypothesis_words) = 0) <> (sum(reference_words) = 0) THEN CAST(1 AS DOUBLE)
--   ELSE 1 - (CAST(sum(hits) AS DOUBLE) / nullif(sum(reference_words), 0))
--   * (CAST(sum(hits) AS DOUBLE) / nullif(sum(hypothesis_words), 0)) END: word information lost
-- source: Wagner & Fischer 1974, The string-to-string correction problem; Bernreuther 2005, Lattice evaluation techniques,
--   equation 2.2 (for each word of the hypothesis);
--   Morris, Maier & Green 2004, From WER and RIL to MER and WIL
SELECT a.sentence, CAST(a.step AS INTEGER) AS step, a.reference,
       CAST(len(a.reference_forms) AS INTEGER) AS reference_length, a.operation, a.hypothesis_word,
       a.hypothesis_forms[a.hypothesis_word] AS hypothesis_form, a.reference_word,
       a.reference_forms[a.reference_word] AS reference_form,
       CAST(CASE WHEN a.operation = 'match' THEN 1 ELSE 0 END AS BIGINT) AS hits,
       CAST(CASE WHEN a.operation = 'substitution' THEN 1 ELSE 0 END AS BIGINT) AS substitutions,
       CAST(CASE WHEN a.operation = 'insertion' THEN 1 ELSE 0 END AS BIGINT) AS insertions,
       CAST(CASE WHEN a.operation = 'deletion' THEN 1 ELSE 0 END AS BIGINT) AS deletions,
       CAST(CASE WHEN a.operation = 'match' THEN 0 ELSE 1 END AS BIGINT) AS edits,
       CAST(CASE WHEN a.hypothesis_word IS NULL THEN 0 ELSE 1 END AS BIGINT) AS hypothesis_words,
       CAST(CASE WHEN a.reference_word IS NULL THEN 0 ELSE 1 END AS BIGINT) AS reference_words
FROM (SELECT n.sentence, n.reference, n.hypothesis_forms, n.reference_forms, n.step, n.taken.operation AS operation,
             n.taken.hypothesis_position AS hypothesis_word, n.taken.reference_position AS reference_word
      FROM (SELECT r.sentence, r.reference, r.hypothesis_forms, r.reference_forms,
                   unnest(range(1, len(r.steps) + 1)) AS step, unnest(r.steps) AS taken
            FROM nearest_references AS r) AS n) AS a
