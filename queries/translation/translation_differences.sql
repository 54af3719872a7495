-- translation_differences: translations of a system and of the first system whose chrF differs, the most different first; one
--   row per sentence.
-- kind: statistic
-- engine: kernel: shared_character_n_grams counts n-grams
-- parameters: as character_overlaps (hypothesis_corpus, reference_corpus)
-- parameters: as n_gram_differences (baseline_corpus)
-- parameters: as character_overlaps (other_corpora, empty_references, lowercase, punctuation, unicode_form, char_order, word_order, beta, whitespace, eps_smoothing)
-- audit translation_correspondence
-- audit baseline_correspondence
-- column sentence INTEGER: its sentence
-- column sent_id VARCHAR: its sent_id
-- column baseline_chrf DOUBLE: chrF of the first system's translation, against its best reference
-- column chrf DOUBLE: chrF of the system's translation
-- column difference DOUBLE: the latter less the former
-- column reference VARCHAR: the corpus of the reference that is best for the system's translation
-- column reference_line VARCHAR: its text
-- column baseline_line VARCHAR: the first system's translation
-- column system_line VARCHAR: the system's translation
-- source: Neubig et al. 2019, compare-mt: a tool for holistic comparison of language generation systems (sentence examples);
--   Popović 2015, chrF: character n-gram F-score for automatic MT evaluation
SELECT e.sentence, s.sent_id, e.baseline_chrf, e.chrf, e.difference, e.reference, e.reference_line, e.baseline_line, e.system_line
FROM (SELECT d.sentence, d.baseline_chrf, d.chrf, d.chrf - d.baseline_chrf AS difference,
             abs(d.chrf - d.baseline_chrf) AS distance, d.reference, r.line AS reference_line, d.baseline_line, d.system_line
      FROM (SELECT h.sentence, h.reference, n_gram_f_score(b.n_gram_counts, $beta, $eps_smoothing) AS baseline_chrf,
                   n_gram_f_score(h.n_gram_counts, $beta, $eps_smoothing) AS chrf, t.line AS baseline_line,
                   o.line AS system_line
            FROM character_overlaps AS h
            JOIN reference_sentences(reference_corpus := $baseline_corpus, other_corpora := '', numbered_as := $hypothesis_corpus) AS m
                ON m.sentence = h.sentence
            JOIN character_overlaps(hypothesis_corpus := $baseline_corpus) AS b ON b.sentence = m.reference_sentence
            JOIN reference_lines(reference_corpus := $hypothesis_corpus, other_corpora := '') AS o ON o.sentence = h.sentence
            JOIN reference_lines(reference_corpus := $baseline_corpus, other_corpora := '') AS t ON t.sentence = b.sentence) AS d
      JOIN reference_lines(numbered_as := $hypothesis_corpus) AS r ON r.sentence = d.sentence AND r.reference = d.reference) AS e
JOIN sentences AS s ON s.corpus = $hypothesis_corpus AND s.sentence = e.sentence
WHERE e.distance > 0
ORDER BY e.distance DESC, e.sentence
