-- subtree_text: the words of the subtree of a word, itself included, in the order of the sentence.
-- kind: function
-- parameter top WORD: the word, an alias of `words`
-- column text VARCHAR: their forms; without blanks after words with `SpaceAfter=No`
-- source: CoNLL-U format, Universal Dependencies
(SELECT rtrim(string_agg(_w.form || CASE WHEN contains('|' || _w.misc || '|', '|SpaceAfter=No|') THEN '' ELSE ' ' END, ''
                         ORDER BY _w.word))
 FROM words AS _w
 WHERE _w.corpus = top.corpus AND _w.sentence = top.sentence AND _w.enter BETWEEN top.enter AND top.leave)
