-- relation_shares: frequency ratios of function, content and other relations; one row per treebank.
-- kind: statistic
-- parameters: as treebank_forms (corpus_name)
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column words BIGINT: number of words, punctuation included
-- column parsed_words BIGINT: number of words with a head or a relation
-- column function_share DOUBLE: share of the parsed words with a function relation
-- column content_share DOUBLE: share of the parsed words with a content relation
-- column other_share DOUBLE: share of the parsed words with any other relation, including those that the table
--   relation_classes lacks; NULL, as the other shares, where no word has a relation
-- source: on cross-linguistic parser evaluation with Universal Dependencies 1.2 (unpublished draft), sections 4.1 and 4.3
SELECT s.treebank, CAST(count(*) AS BIGINT) AS words, CAST(sum(s.parsed) AS BIGINT) AS parsed_words,
       CAST(sum(CASE WHEN s.class = 'function' THEN 1 ELSE 0 END) AS DOUBLE) / nullif(sum(s.parsed) * max(s.related), 0) AS function_share,
       CAST(sum(CASE WHEN s.class = 'content' THEN 1 ELSE 0 END) AS DOUBLE) / nullif(sum(s.parsed) * max(s.related), 0) AS content_share,
       CAST(sum(CASE WHEN s.class = 'other' THEN s.parsed ELSE 0 END) AS DOUBLE) / nullif(sum(s.parsed) * max(s.related), 0) AS other_share
FROM (SELECT coalesce(c.treebank, c.corpus) AS treebank, coalesce(k.class, 'other') AS class,
             CASE WHEN w.udeprel IS NULL THEN 0 ELSE 1 END AS related,
             CASE WHEN w.udeprel IS NULL AND w.head IS NULL THEN 0 ELSE 1 END AS parsed
      FROM words AS w
      JOIN corpora AS c ON c.corpus = w.corpus
      LEFT JOIN relation_classes AS k ON k.relation = w.udeprel
      WHERE $corpus_name = '' OR w.corpus = $corpus_name) AS s
GROUP BY s.treebank
ORDER BY s.treebank
