-- character_overlaps: n-grams of characters and words that translations share with the reference of the best F-score; one
--   row per sentence.
-- kind: relation
-- engine: kernel: shared_character_n_grams counts n-grams
-- parameters: as position_independent_errors
-- parameter char_order INTEGER(0..8) = 6: chrF: largest number of characters of an n-gram, 1 to 8
-- parameter word_order INTEGER(0..4) = 0: chrF: largest number of words of an n-gram, 0 to 4; chrf_pp has 2
-- parameter beta DOUBLE(0..1000) = 2: chrF: weight of recall
-- parameter whitespace TEXT(no|yes) = no: chrF: yes: white space is part of n-grams of characters
-- parameter eps_smoothing TEXT(no|yes) = no: chrF: yes: the mean of the F-scores of all orders, no: the F-score of the means of
--   those that both texts have
-- column sentence INTEGER: its sentence
-- column reference VARCHAR: the corpus of the reference
-- column char_orders BIGINT: lengths of n-grams of characters that are counted
-- column word_orders BIGINT: lengths of n-grams of words that are counted
-- column n_gram_counts BIGINT[]: for 1 to 8 characters and 1 to 4 words the n-grams of the hypothesis, of the reference, and of both
-- source: Popović 2015, chrF: character n-gram F-score for automatic MT evaluation; Popović 2017, chrF++: words helping
--   character n-grams (as in sacrebleu 2.6)
SELECT o.sentence, o.reference, CAST($char_order AS BIGINT) AS char_orders, CAST($word_order AS BIGINT) AS word_orders,
       o.n_gram_counts
FROM overlaps_with_references AS o
WHERE $other_corpora = ''
UNION ALL
SELECT b.sentence, b.reference, CAST($char_order AS BIGINT) AS char_orders, CAST($word_order AS BIGINT) AS word_orders,
       b.n_gram_counts
FROM (SELECT f.sentence, f.reference, f.n_gram_counts,
             row_number() OVER (PARTITION BY f.sentence
                                ORDER BY n_gram_f_score(f.n_gram_counts, $beta, $eps_smoothing) DESC, f.reference_rank,
                                         f.reference) AS nearness
      FROM overlaps_with_references AS f
      WHERE $other_corpora <> '') AS b
WHERE b.nearness = 1
