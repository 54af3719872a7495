-- word_entropy: word dependency entropy (WDE), how evenly the words of a relation are distributed over forms; one row
--   per treebank and relation.
-- kind: statistic
-- parameters: as treebank_forms
-- parameter vocabulary TEXT(treebank|relation) = treebank: vocabulary whose size normalises the entropy (by its
--   logarithm): that of the treebank, or the forms that occur with the relation
-- audit missing_lemmas
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column relation VARCHAR: universal relation
-- column words BIGINT: number of words with this relation
-- column types BIGINT: number of distinct forms with this relation
-- column wde DOUBLE: entropy of the forms, divided by the logarithm of the vocabulary size; 0 for a vocabulary of 1
-- source: on cross-linguistic parser evaluation with Universal Dependencies 1.2 (unpublished draft), section 4.2, WDE(r, t)
SELECT r.treebank, r.relation, r.words, r.types,
       CASE WHEN r.types = 1 THEN CAST(0 AS DOUBLE)
            ELSE (ln(CAST(r.words AS DOUBLE)) - r.logarithms / r.words)
                 / ln(CAST(CASE WHEN $vocabulary = 'treebank' THEN v.types ELSE r.types END AS DOUBLE)) END AS wde
FROM (SELECT f.treebank, f.relation, CAST(sum(f.words) AS BIGINT) AS words, CAST(count(*) AS BIGINT) AS types,
             CAST(sum(CAST(round(f.words * ln(CAST(f.words AS DOUBLE)) * 1099511627776.0) AS HUGEINT)) AS DOUBLE)
                 / 1099511627776.0 AS logarithms
      FROM treebank_forms AS f
      WHERE f.relation IS NOT NULL
      GROUP BY f.treebank, f.relation) AS r
JOIN (SELECT f.treebank, CAST(count(DISTINCT f.form) AS BIGINT) AS types
      FROM treebank_forms AS f
      GROUP BY f.treebank) AS v ON v.treebank = r.treebank
ORDER BY r.treebank, wde, r.relation
