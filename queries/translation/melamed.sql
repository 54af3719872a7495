-- melamed: words of translations matched with words of a reference, where long runs weigh more; one row per sentence.
-- kind: metric
-- engine: kernel: matching_size matches runs of words
-- parameters: as position_independent_errors
-- parameter exponent DOUBLE(1..100) = 1: weight of runs of matched words: length ** exponent, 1 or more; 1: their order is ignored
-- audit translation_correspondence
-- column sentence INTEGER: its sentence
-- column reference VARCHAR: the corpus of the reference with the best F, if several tie, the first given
-- count matching DOUBLE: size of the matching
-- column hypothesis_words BIGINT: words of the hypothesis
-- column reference_words BIGINT: words of the reference
-- score melamed_precision percent higher = sum(matching) / nullif(sum(hypothesis_words), 0): matching per word of the hypothesis
-- score melamed_recall percent higher = sum(matching) / nullif(sum(reference_words), 0): matching per word of the reference
-- score melamed_f percent higher = 2 * sum(matching) / nullif(sum(hypothesis_words) + sum(reference_words), 0): harmonic mean of
--   both
-- source: Melamed, Green & Turian 2003, Precision and recall of machine translation
SELECT b.sentence, b.reference, b.matching, b.hypothesis_words, b.reference_words
FROM (SELECT m.sentence, m.reference, m.matching, m.hypothesis_words, m.reference_words,
             row_number() OVER (PARTITION BY m.sentence
                                ORDER BY coalesce(m.matching / nullif(m.hypothesis_words + m.reference_words, 0), 0) DESC,
                                         m.reference_rank, m.reference) AS nearness
      FROM (SELECT h.sentence, r.reference, r.reference_rank, matching_size(h.text_forms, r.text_forms, $exponent) AS matching,
                   CAST(len(h.text_forms) AS BIGINT) AS hypothesis_words, CAST(len(r.text_forms) AS BIGINT) AS reference_words
            FROM reference_texts(reference_corpus := $hypothesis_corpus, other_corpora := '') AS h
            JOIN reference_texts(numbered_as := $hypothesis_corpus) AS r ON r.sentence = h.sentence) AS m) AS b
WHERE b.nearness = 1
