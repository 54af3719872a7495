-- relation_inventory: frequency of every relation; one row per corpus and relation.
-- kind: statistic
-- column corpus VARCHAR: the corpus
-- column deprel VARCHAR: the relation with its subtype
-- column udeprel VARCHAR: the relation cut at the first `:`
-- column words BIGINT: number of words with it
-- column types BIGINT: number of distinct forms with it
-- column mean_dependency_length DOUBLE: mean of |head - word| over those words that are not roots
-- source: de Marneffe et al. 2021, Universal Dependencies: treebank statistics
SELECT w.corpus, w.deprel, w.udeprel, CAST(count(*) AS BIGINT) AS words, CAST(count(DISTINCT w.form) AS BIGINT) AS types,
       CAST(sum(CASE WHEN w.head = 0 THEN 0 ELSE abs(w.head - w.word) END) AS DOUBLE)
           / nullif(sum(CASE WHEN w.head > 0 THEN 1 ELSE 0 END), 0) AS mean_dependency_length
FROM words AS w
GROUP BY w.corpus, w.deprel, w.udeprel
ORDER BY w.corpus, words DESC, w.deprel
