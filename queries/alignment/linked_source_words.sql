-- linked_source_words: source words of links, by which scores are grouped: their tags, and how often they occur; one row per
--   word.
-- kind: attributes
-- whole: words are counted in all sentences
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
JOIN (SELECT o.form, CAST(count(*) AS BIGINT) AS frequency
      FROM words AS o
      WHERE o.corpus = $source_words_corpus
      GROUP BY o.form) AS f ON f.form = w.form
WHERE w.corpus = $source_words_corpus
