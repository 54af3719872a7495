-- unweighted_relations: relations that a set of weights lacks, whose words have the weight 0.5; one row per treebank
--   and relation.
-- kind: statistic
-- parameter weights TEXT = : the set of the table relation_weights
-- parameters: as treebank_forms (corpus_name)
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column relation VARCHAR: universal relation
-- column words BIGINT: number of words with it
-- source: on cross-linguistic parser evaluation with Universal Dependencies 1.2 (unpublished draft), section 4.4.2
SELECT u.treebank, u.relation, u.words
FROM (SELECT d.treebank, d.relation, CAST(sum(d.words) AS BIGINT) AS words
      FROM treebank_relations AS d
      GROUP BY d.treebank, d.relation) AS u
WHERE NOT EXISTS (SELECT 1 FROM relation_weights AS r WHERE r.weight_set = $weights AND r.relation = u.relation)
ORDER BY u.treebank, u.words DESC, u.relation
