-- chosen_weights: weights of relations in weighted_attachment; one row per universal relation that has a weight.
-- kind: relation
-- crosses_sentences unless weights: entropies count the words of the whole gold corpus
-- parameters: as attachment (gold_corpus)
-- parameter weights TEXT = : a set of the table relation_weights; if empty, the word dependency entropies of the gold corpus
-- column relation VARCHAR: universal relation
-- column weight DOUBLE: weight of a word with this relation
-- source: on cross-linguistic parser evaluation with Universal Dependencies 1.2 (unpublished draft), section 4.4.2
SELECT e.relation, e.wde AS weight
FROM word_entropy(corpus_name := $gold_corpus) AS e
WHERE $weights = ''
UNION ALL
SELECT r.relation, r.weight
FROM relation_weights AS r
WHERE r.weight_set = $weights
