-- word_edges: number of enhanced edges to a word from other words or the root; one row per word that has any.
-- kind: relation
-- parameter tree_corpus TEXT: the corpus
-- column sentence INTEGER: the sentence
-- column dependent INTEGER: the word
-- column edges BIGINT: number of edges to it, without those from empty nodes
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format, column DEPS
SELECT e.sentence, e.dependent, CAST(count(*) AS BIGINT) AS edges
FROM enhanced_edges AS e
WHERE e.corpus = $tree_corpus AND e.head_index = 0 AND e.dependent_index = 0
GROUP BY e.sentence, e.dependent
