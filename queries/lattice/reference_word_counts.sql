-- reference_word_counts: number of occurrences of the words of a text, by which scores of lattices are grouped; one row per
--   word.
-- kind: attributes
-- parameters: as word_frequencies
-- column reference_form VARCHAR: the word
-- column frequency BIGINT: number of its occurrences
-- source: Neubig et al. 2019, compare-mt: a tool for holistic comparison of language generation systems
SELECT w.reference_form, w.frequency
FROM word_frequencies AS w
