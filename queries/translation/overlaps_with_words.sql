-- overlaps_with_words: what `character_overlaps` has, with n-grams of one and two words; one row per sentence.
-- kind: relation
-- engine: kernel: shared_character_n_grams counts n-grams
-- parameters: as character_overlaps (hypothesis_corpus, reference_corpus, other_corpora, empty_references, lowercase, punctuation, unicode_form, char_order, beta, whitespace, eps_smoothing)
-- columns: as character_overlaps
-- source: Popović 2017, chrF++: words helping character n-grams
SELECT c.sentence, c.reference, c.char_orders, c.word_orders, c.n_gram_counts
FROM character_overlaps(word_order := 2) AS c
