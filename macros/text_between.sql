-- text_between: the text of some neighbouring words of a sentence.
-- kind: function
-- parameter row WORD: any row of the sentence, an alias of `words` or `sentences`
-- parameter first_word INTEGER: position of the first word; positions outside of the sentence have no words
-- parameter last_word INTEGER: position of the last word
-- column text VARCHAR: multiword tokens that lie between these positions, and the forms of the other words; without
--   blanks after `SpaceAfter=No`; empty if there are no words
-- source: CoNLL-U format, Universal Dependencies
coalesce((SELECT rtrim(string_agg(
    CASE WHEN _t.first IS NULL OR _t.first < first_word OR _t.last > last_word
         THEN _w.form || CASE WHEN contains('|' || _w.misc || '|', '|SpaceAfter=No|') THEN '' ELSE ' ' END
         WHEN _t.first = _w.word
         THEN _t.form || CASE WHEN contains('|' || _t.misc || '|', '|SpaceAfter=No|') THEN '' ELSE ' ' END
         ELSE '' END, '' ORDER BY _w.word))
 FROM words AS _w
 LEFT JOIN tokens AS _t
   ON _t.corpus = _w.corpus AND _t.sentence = _w.sentence AND _w.multiword AND _w.word BETWEEN _t.first AND _t.last
 WHERE _w.corpus = row.corpus AND _w.sentence = row.sentence AND _w.word BETWEEN first_word AND last_word), '')
