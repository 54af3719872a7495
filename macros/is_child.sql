-- is_child: whether a word depends on another one, by an edge of the basic tree.
-- kind: function
-- parameter child WORD: the dependent, an alias of `words`
-- parameter parent WORD: the head
-- column found BOOLEAN: whether it does; usable as a join condition
-- source: CoNLL-U format, Universal Dependencies
child.corpus = parent.corpus AND child.sentence = parent.sentence AND child.head = parent.word
