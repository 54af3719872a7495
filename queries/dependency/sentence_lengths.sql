-- sentence_lengths: length of the sentences of a corpus, by which scores are grouped; one row per sentence.
-- kind: attributes
-- parameter tree_corpus TEXT: the corpus
-- column sentence INTEGER: the sentence
-- column n_words INTEGER: number of its words
-- source: McDonald & Nivre 2007, Characterizing the errors of data-driven dependency parsing models (sentence length)
SELECT l.sentence, l.n_words
FROM sentences AS l
WHERE l.corpus = $tree_corpus
