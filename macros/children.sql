-- children: the words that hang on a word.
-- kind: function
-- parameter parent WORD: the word, an alias of `words`
-- column positions INTEGER[]: their positions in the sentence, in order; NULL where there is none
-- source: CoNLL-U format, Universal Dependencies
(SELECT list(w.word ORDER BY w.word)
 FROM words AS w
 WHERE w.corpus = parent.corpus AND w.sentence = parent.sentence AND w.head = parent.word)
