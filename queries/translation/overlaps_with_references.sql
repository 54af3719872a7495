-- overlaps_with_references: n-grams of characters and words that translations share with each of their references; one row per
--   sentence and reference.
-- kind: relation
-- engine: kernel: shared_character_n_grams counts n-grams
-- parameters: as character_overlaps (hypothesis_corpus, reference_corpus, other_corpora, empty_references, lowercase, punctuation, unicode_form)
-- parameters: as character_overlaps (char_order, word_order, whitespace)
-- column sentence INTEGER: its sentence
-- column reference VARCHAR: the corpus of the reference
-- column reference_rank INTEGER: 0 for the first reference, greater for later ones
-- column n_gram_counts BIGINT[]: as `character_overlaps` has them
-- source: Popović 2015, chrF: character n-gram F-score for automatic MT evaluation; Popović 2017, chrF++: words helping
--   character n-grams (as in sacrebleu 2.6)
SELECT h.sentence, r.reference, r.reference_rank,
       list_concat(list_resize(shared_character_n_grams(h.line, r.line, CAST($char_order AS INTEGER), $whitespace = 'yes'), 24, 0),
                   shared_n_grams(h.chrf_forms, r.chrf_forms, CAST($word_order AS INTEGER))) AS n_gram_counts
FROM chrf_lines(reference_corpus := $hypothesis_corpus, other_corpora := '') AS h
JOIN chrf_lines(numbered_as := $hypothesis_corpus) AS r ON r.sentence = h.sentence
