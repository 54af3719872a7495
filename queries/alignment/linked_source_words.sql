-- linked_source_words: source words of links, by which scores are grouped: their tags, and how often they occur; one row per
--   word.
-- kind: attributes
-- parameter source_words_corpus TEXT: corpus of the source words
-- column sentence INTEGER: the sentence
-- column word INTEGER: position in the sentence, `source` of a link
-- column form VARCHAR: the word
-- column lemma VARCHAR: its lemma; NULL where the corpus has none
-- column upos VARCHAR: its universal part of speech; NULL where the corpus has none
-- column xpos VARCHAR: its language-specific part of speech; NULL where the corpus has none
-- column frequency BIGINT: number of its occurrences in the corpus
-- source: Neubig et al. 2019, compare-mt: a tool for holistic comparison of language generation systems (accuracy by part of
--   speech and by frequency)
SELECT w.sentence, w.word, w.form, w.lemma, w.upos, w.xpos, f.frequency
FROM words AS w
JOIN word_frequencies(text_corpus := $source_words_corpus) AS f ON f.reference_form = w.form
WHERE w.corpus = $source_words_corpus
