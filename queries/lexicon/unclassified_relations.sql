-- unclassified_relations: relations that the table relation_classes lacks, which count as other; one row per treebank
--   and relation.
-- kind: statistic
-- parameters: as treebank_forms (corpus_name)
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column relation VARCHAR: universal relation
-- column words BIGINT: number of words with it
-- source: on cross-linguistic parser evaluation with Universal Dependencies 1.2 (unpublished draft), table 2
SELECT u.treebank, u.relation, u.words
FROM (SELECT d.treebank, d.relation, CAST(sum(d.words) AS BIGINT) AS words
      FROM treebank_relations AS d
      GROUP BY d.treebank, d.relation) AS u
WHERE NOT EXISTS (SELECT 1 FROM relation_classes AS k WHERE k.relation = u.relation)
ORDER BY u.treebank, u.words DESC, u.relation
