-- dominates: whether a word is above another one in the tree, however far; no word dominates itself.
-- kind: function
-- parameter upper WORD: the one, an alias of `words`
-- parameter lower WORD: the other
-- column found BOOLEAN: whether it is; the condition of a join, too; NULL where heads form a cycle
-- source: Grust 2002, Accelerating XPath location steps (preorder intervals)
upper.corpus = lower.corpus AND upper.sentence = lower.sentence
AND lower.enter BETWEEN upper.enter + 1 AND upper.leave
