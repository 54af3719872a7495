-- linked_target_words: target words of links, by which scores are grouped: their tags, and how often they occur; one row per
--   word.
-- kind: attributes
-- parameter target_words_corpus TEXT: corpus of the target words
-- columns: as linked_source_words
-- source: Neubig et al. 2019, compare-mt: a tool for holistic comparison of language generation systems (accuracy by part of
--   speech and by frequency)
SELECT w.sentence, w.word, w.form, w.lemma, w.upos, w.xpos, w.frequency
FROM linked_source_words(source_words_corpus := $target_words_corpus) AS w
