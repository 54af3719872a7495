-- word_frequencies: number of occurrences of the words of a text, by which scores are grouped; one row per word.
-- kind: attributes
-- parameter text_corpus TEXT: the corpus
-- column reference_form VARCHAR: the word
-- count frequency BIGINT: number of its occurrences
-- source: Neubig et al. 2019, compare-mt: a tool for holistic comparison of language generation systems
SELECT w.form AS reference_form, CAST(count(*) AS BIGINT) AS frequency
FROM words AS w
WHERE w.corpus = $text_corpus
GROUP BY w.form
