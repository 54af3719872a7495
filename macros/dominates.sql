-- dominates: whether a word is an ancestor of another one in the tree; no word dominates itself.
-- kind: function
-- parameter upper WORD: the ancestor, an alias of `words`
-- parameter lower WORD: the descendant
-- column found BOOLEAN: whether it is; usable as a join condition; NULL where heads form a cycle
-- source: Grust 2002, Accelerating XPath location steps (preorder intervals)
upper.corpus = lower.corpus AND upper.sentence = lower.sentence
AND lower.enter BETWEEN upper.enter + 1 AND upper.leave
