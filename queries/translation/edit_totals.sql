-- edit_totals: how many edit operations of each kind turn translations into the nearest reference; one row per sentence with
--   words.
-- kind: relation
-- engine: kernel: edit_counts compares words
-- parameters: as nearest_references
-- columns: as edit_operations (sentence, reference, reference_length, hits, substitutions, insertions, deletions, edits)
-- columns: as edit_operations (hypothesis_words, reference_words)
-- source: Wagner & Fischer 1974, The string-to-string correction problem
SELECT b.sentence, b.reference, CAST(b.reference_words AS INTEGER) AS reference_length, b.hits, b.substitutions, b.insertions,
       b.deletions, b.edits, b.hypothesis_words, b.reference_words
FROM (SELECT t.sentence, t.reference, t.hits, t.substitutions, t.insertions, t.deletions, t.edits,
             t.hits + t.substitutions + t.insertions AS hypothesis_words,
             t.hits + t.substitutions + t.deletions AS reference_words,
             CASE WHEN $other_corpora = '' THEN 1
                  ELSE row_number() OVER (PARTITION BY t.sentence ORDER BY t.edits, t.reference_rank, t.reference) END AS nearness
      FROM (SELECT c.sentence, c.reference, c.reference_rank, c.counts[1] AS hits, c.counts[2] AS substitutions,
                   c.counts[3] AS insertions, c.counts[4] AS deletions, c.counts[2] + c.counts[3] + c.counts[4] AS edits
            FROM (SELECT h.sentence, r.reference, r.reference_rank,
                         edit_counts(h.words_text, r.words_text, $edit_weights = 'sclite') AS counts
                  FROM word_texts(reference_corpus := $hypothesis_corpus, other_corpora := '') AS h
                  JOIN word_texts(numbered_as := $hypothesis_corpus) AS r ON r.sentence = h.sentence) AS c) AS t) AS b
WHERE b.nearness = 1 AND b.hypothesis_words + b.reference_words > 0
