-- is_child: whether a word hangs on another one, by an edge of the basic tree.
-- kind: function
-- parameter child WORD: the one, an alias of `words`
-- parameter parent WORD: the other
-- column found BOOLEAN: whether it does; the condition of a join, too
-- source: CoNLL-U format, Universal Dependencies
child.corpus = parent.corpus AND child.sentence = parent.sentence AND child.head = parent.word
