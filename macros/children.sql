-- children: the dependents of a word.
-- kind: function
-- parameter parent WORD: the word, an alias of `words`
-- column positions INTEGER[]: their positions in the sentence, in order; NULL if there is none
-- source: CoNLL-U format, Universal Dependencies
(SELECT list(_w.word ORDER BY _w.word)
 FROM words AS _w
 WHERE _w.corpus = parent.corpus AND _w.sentence = parent.sentence AND _w.head = parent.word)
