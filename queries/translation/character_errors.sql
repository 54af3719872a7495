-- character_errors: edits of characters that turn translations into the nearest reference; one row per sentence.
-- kind: metric
-- engine: kernel: character_edits compares characters
-- parameters: as position_independent_errors
-- audit translation_correspondence
-- column sentence INTEGER: its sentence
-- column reference VARCHAR: the corpus of the reference with fewest edits, if several tie, the first given
-- count changed_characters BIGINT: characters inserted, deleted and replaced
-- count reference_characters BIGINT: characters of the reference, with the blanks between words
-- score cer percent lower = sum(changed_characters) / nullif(sum(reference_characters), 0): character error rate, edits per
--   character of the reference
-- source: Levenshtein 1966, Binary codes capable of correcting deletions, insertions, and reversals (as in jiwer 4.0)
SELECT b.sentence, b.reference, b.changed_characters, b.reference_characters
FROM (SELECT e.sentence, e.reference, e.changed_characters, e.reference_characters,
             row_number() OVER (PARTITION BY e.sentence
                                ORDER BY e.changed_characters, e.reference_rank, e.reference) AS nearness
      FROM (SELECT h.sentence, r.reference, r.reference_rank, CAST(length(strip_text(r.line)) AS BIGINT) AS reference_characters,
                   character_edits(strip_text(h.line), strip_text(r.line)) AS changed_characters
            FROM reference_lines(reference_corpus := $hypothesis_corpus, other_corpora := '') AS h
            JOIN reference_lines(numbered_as := $hypothesis_corpus) AS r ON r.sentence = h.sentence) AS e) AS b
WHERE b.nearness = 1
