-- child_counts: number of dependents of the words of dependency trees, by which scores are grouped; one row per word.
-- kind: attributes
-- parameter tree_corpus TEXT: the corpus
-- column sentence INTEGER: the sentence
-- column word INTEGER: position in the sentence
-- column n_children BIGINT: number of words whose head it is, 0 for a leaf; NULL in a sentence without a tree
-- source: Nilsson & Nivre 2008, MaltEval: an evaluation and visualization tool for dependency parsing (branching factor)
SELECT w.sentence, w.word, CASE WHEN w.head IS NOT NULL THEN coalesce(c.children, CAST(0 AS BIGINT)) END AS n_children
FROM words AS w
LEFT JOIN (SELECT d.sentence, d.head, CAST(count(*) AS BIGINT) AS children
           FROM words AS d
           WHERE d.corpus = $tree_corpus
           GROUP BY d.sentence, d.head) AS c ON c.sentence = w.sentence AND c.head = w.word
WHERE w.corpus = $tree_corpus
