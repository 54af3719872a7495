-- head_tags: part of speech of the heads of words in dependency trees, by which scores are grouped; one row per word.
-- kind: attributes
-- parameters: as edge_attributes (tree_corpus)
-- column sentence INTEGER: the sentence
-- column word INTEGER: position in the sentence
-- column head_upos VARCHAR: part of speech of its head, as the same file has it; ROOT for a root
-- source: Nivre et al. 2007, The CoNLL 2007 shared task on dependency parsing (errors by the part of speech of the head)
SELECT w.sentence, w.word, CASE WHEN w.head = 0 THEN 'ROOT' ELSE h.upos END AS head_upos
FROM words AS w
LEFT JOIN words AS h ON h.corpus = w.corpus AND h.sentence = w.sentence AND h.word = w.head
WHERE w.corpus = $tree_corpus
