-- path: the path from one word to another of its sentence through the tree.
-- kind: function
-- parameter origin WORD: where it begins, an alias of `words`
-- parameter goal WORD: where it ends
-- column steps VARCHAR[]: the relations in order, `↑` before steps up, `↓` before steps down; NULL where both are the
--   same word, or where heads form a cycle
-- source: Bunescu & Mooney 2005, A shortest path dependency kernel for relation extraction
(SELECT list(CASE WHEN origin.enter BETWEEN _w.enter AND _w.leave THEN '↑' ELSE '↓' END || _w.deprel
             ORDER BY CASE WHEN origin.enter BETWEEN _w.enter AND _w.leave THEN -_w.depth ELSE _w.depth END)
 FROM words AS _w
 WHERE _w.corpus = origin.corpus AND _w.sentence = origin.sentence
   AND (origin.enter BETWEEN _w.enter AND _w.leave) <> (goal.enter BETWEEN _w.enter AND _w.leave))
