-- relation_profile: frequency of every universal relation, and the number of its forms; one row per treebank and
--   relation.
-- kind: statistic
-- parameters: as treebank_forms (corpus_name)
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column relation VARCHAR: universal relation; NULL where it is unspecified
-- column class VARCHAR: function, content or other, from the table relation_classes; other if the table lacks it
-- column words BIGINT: number of words with it
-- column share DOUBLE: the share of those with a head or a relation in all such words of the treebank
-- column types BIGINT: number of distinct forms with it
-- column mean_dependency_length DOUBLE: mean of |head - word| over those words that are not roots
-- source: de Marneffe et al. 2021, Universal Dependencies: treebank statistics; on cross-linguistic parser evaluation
--   with Universal Dependencies 1.2 (unpublished draft), table 2
SELECT r.treebank, r.relation, coalesce(k.class, 'other') AS class, r.words,
       CAST(r.parsed_words AS DOUBLE) / nullif(h.parsed_words, 0) AS share, r.types, r.mean_dependency_length
FROM (SELECT coalesce(c.treebank, c.corpus) AS treebank, w.udeprel AS relation, CAST(count(*) AS BIGINT) AS words,
             sum(CASE WHEN w.udeprel IS NULL AND w.head IS NULL THEN 0 ELSE 1 END) AS parsed_words,
             CAST(count(DISTINCT w.form) AS BIGINT) AS types,
             CAST(sum(CASE WHEN w.head = 0 THEN 0 ELSE abs(w.head - w.word) END) AS DOUBLE)
                 / nullif(sum(CASE WHEN w.head > 0 THEN 1 ELSE 0 END), 0) AS mean_dependency_length
      FROM words AS w
      JOIN corpora AS c ON c.corpus = w.corpus
      WHERE $corpus_name = '' OR w.corpus = $corpus_name
      GROUP BY coalesce(c.treebank, c.corpus), w.udeprel) AS r
JOIN relation_shares AS h ON h.treebank = r.treebank
LEFT JOIN relation_classes AS k ON k.relation = r.relation
ORDER BY r.treebank, r.words DESC, r.relation
