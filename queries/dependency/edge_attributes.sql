-- edge_attributes: place of the words of dependency trees in their trees, by which scores are grouped; one row per word.
-- kind: attributes
-- parameter tree_corpus TEXT: the corpus
-- column sentence INTEGER: the sentence
-- column word INTEGER: position in the sentence
-- column distance INTEGER: number of words from word to head, the difference of their positions; NULL for a root
-- column direction VARCHAR: to_root, left (the head comes before the word) or right; self where a word is its own head, in
--   a sentence loaded with a cycle
-- column depth INTEGER: number of edges up to the root above the tree: 1 for a root, otherwise one more than its head's;
--   NULL in a sentence with a cycle
-- column root_distance INTEGER: number of edges up to the root of its tree: 0 for a root, depth - 1
-- column projective BOOLEAN: whether every word strictly between this word and its head is dominated by the head; true
--   for a root
-- source: McDonald & Nivre 2007, Characterizing the errors of data-driven dependency parsing models (length, depth);
--   Buchholz & Marsi 2006, CoNLL-X shared task (direction)
SELECT w.sentence, w.word, CASE WHEN w.head > 0 THEN abs(w.head - w.word) END AS distance,
       CASE WHEN w.head = 0 THEN 'to_root' WHEN w.head < w.word THEN 'left' WHEN w.head > w.word THEN 'right'
            WHEN w.head = w.word THEN 'self' END AS direction,
       w.depth, w.depth - 1 AS root_distance, w.projective
FROM words AS w
WHERE w.corpus = $tree_corpus
