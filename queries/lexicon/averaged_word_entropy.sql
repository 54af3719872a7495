-- averaged_word_entropy: word dependency entropy averaged over treebanks, the spectrum from function to content
--   relations; one row per relation.
-- kind: statistic
-- parameters: as treebank_forms (corpus_name)
-- parameter forms TEXT(form|lower|lemma) = form: what a form is, as in word_entropy
-- parameter vocabulary TEXT(treebank|relation) = treebank: vocabulary that normalises the entropy, as in word_entropy
-- parameter absent TEXT(half|skip) = half: how a treebank without the relation counts: half, as 0.5, between function
--   and content; skip, not at all
-- audit missing_lemmas
-- column relation VARCHAR: universal relation
-- column class VARCHAR: function, content or other, from the table relation_classes; other if the table lacks it
-- column treebanks BIGINT: number of treebanks that have the relation
-- column words BIGINT: number of words with this relation in all treebanks
-- column wde DOUBLE: mean of the treebanks' word dependency entropies
-- source: on cross-linguistic parser evaluation with Universal Dependencies 1.2 (unpublished draft), section 4.2,
--   averaged WDE(r, T) and figure 2
SELECT e.relation, coalesce(k.class, 'other') AS class, e.treebanks, e.words,
       CASE WHEN $absent = 'skip' THEN e.total / e.treebanks
            ELSE (e.total + 0.5 * (t.treebanks - e.treebanks)) / t.treebanks END AS wde
FROM (SELECT w.relation, CAST(count(*) AS BIGINT) AS treebanks, CAST(sum(w.words) AS BIGINT) AS words,
             CAST(sum(CAST(round(w.wde * 1099511627776.0) AS HUGEINT)) AS DOUBLE) / 1099511627776.0 AS total
      FROM word_entropy AS w
      GROUP BY w.relation) AS e
CROSS JOIN (SELECT CAST(count(DISTINCT w.treebank) AS BIGINT) AS treebanks FROM word_entropy AS w) AS t
LEFT JOIN relation_classes AS k ON k.relation = e.relation
ORDER BY wde, e.relation
