-- unmatched_words: the words of one of two corpora of the same text without a counterpart in same_span_words; one row per
--   word.
-- kind: relation
-- parameter gold_corpus TEXT: corpus of the gold trees
-- parameter system_corpus TEXT: corpus of the system's trees
-- parameter side_corpus TEXT: which of the two
-- column sentence INTEGER: its sentence
-- column word INTEGER: its position
-- column form VARCHAR: the word
-- column lemma VARCHAR: its lemma
-- column upos VARCHAR: its part of speech
-- column xpos VARCHAR: the treebank's own part of speech
-- column feats VARCHAR: its features
-- column head INTEGER: its head
-- column deprel VARCHAR: its relation
-- column udeprel VARCHAR: its relation cut at `:`
-- column multiword BOOLEAN: whether it is part of a multiword token
-- column span_start BIGINT: offset of its first character in the text of the corpus without white space
-- column span_end BIGINT: offset after its last character
-- column line BIGINT: line in the file of its sentence
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies
SELECT w.sentence, w.word, w.form, w.lemma, w.upos, w.xpos, w.feats, w.head, w.deprel, w.udeprel, w.multiword,
       w.span_start, w.span_end, w.line
FROM words AS w
WHERE w.corpus = $side_corpus
  AND NOT EXISTS (SELECT 1 FROM (SELECT g.gold_sentence AS sentence, g.gold_word AS word
                                 FROM same_span_words AS g
                                 WHERE $side_corpus = $gold_corpus
                                 UNION ALL
                                 SELECT s.system_sentence AS sentence, s.system_word AS word
                                 FROM same_span_words AS s
                                 WHERE $side_corpus <> $gold_corpus) AS p
                  WHERE p.sentence = w.sentence AND p.word = w.word)
