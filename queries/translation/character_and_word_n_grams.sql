-- character_and_word_n_grams: n-grams of characters and of one and two words that translations share with a reference, the
--   counts of chrF++; one row per sentence.
-- kind: metric
-- engine: kernel: shared_character_n_grams counts n-grams
-- parameters: as character_overlaps (hypothesis_corpus, reference_corpus, other_corpora, empty_references, lowercase, punctuation, unicode_form, char_order, beta, whitespace, eps_smoothing)
-- audit translation_correspondence
-- columns: as character_n_grams
-- terms: as character_n_grams
-- score chrf_pp percent higher = {f_score}: chrF++, the F-score of n-grams of characters and of one and two words
-- source: Popović 2017, chrF++: words helping character n-grams (as in sacrebleu 2.6)
SELECT n.sentence, n.reference, n.char_orders, n.word_orders, n.scored_lines, n.recall_weight, n.mean_of_f,
       n.hypothesis_c1, n.reference_c1, n.shared_c1, n.hypothesis_c2, n.reference_c2, n.shared_c2, n.hypothesis_c3,
       n.reference_c3, n.shared_c3, n.hypothesis_c4, n.reference_c4, n.shared_c4, n.hypothesis_c5, n.reference_c5,
       n.shared_c5, n.hypothesis_c6, n.reference_c6, n.shared_c6, n.hypothesis_c7, n.reference_c7, n.shared_c7,
       n.hypothesis_c8, n.reference_c8, n.shared_c8, n.hypothesis_w1, n.reference_w1, n.shared_w1, n.hypothesis_w2,
       n.reference_w2, n.shared_w2, n.hypothesis_w3, n.reference_w3, n.shared_w3, n.hypothesis_w4, n.reference_w4,
       n.shared_w4
FROM character_n_grams(word_order := 2) AS n
