-- standardised_type_token: standardised type/token ratio (STTR), the mean over consecutive whole chunks; one row per
--   treebank.
-- kind: statistic
-- parameters: as treebank_forms (corpus_name)
-- parameter chunk INTEGER(1..) = 1000: number of words of a chunk; an incomplete chunk at the end of the treebank is ignored
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column chunks BIGINT: number of whole chunks
-- column sttr DOUBLE: mean over the chunks of distinct forms / words; NULL where there is no whole chunk
-- source: Kettunen 2014, Can type-token ratio be used to show morphological complexity of languages?; on cross-linguistic
--   parser evaluation with Universal Dependencies 1.2 (unpublished draft), section 4.3
SELECT k.treebank, CAST(sum(CASE WHEN k.words = $chunk THEN 1 ELSE 0 END) AS BIGINT) AS chunks,
       CAST(sum(CASE WHEN k.words = $chunk THEN k.types ELSE 0 END) AS DOUBLE)
           / nullif(sum(CASE WHEN k.words = $chunk THEN k.words ELSE 0 END), 0) AS sttr
FROM (SELECT p.treebank, floor(CAST(p.position - 1 AS DOUBLE) / $chunk) AS chunk, count(*) AS words,
             count(DISTINCT p.form) AS types
      FROM (SELECT coalesce(c.treebank, c.corpus) AS treebank, w.form,
                   row_number() OVER (PARTITION BY coalesce(c.treebank, c.corpus)
                                      ORDER BY w.corpus, w.sentence, w.word) AS position
            FROM words AS w
            JOIN corpora AS c ON c.corpus = w.corpus
            WHERE $corpus_name = '' OR w.corpus = $corpus_name) AS p
      GROUP BY p.treebank, floor(CAST(p.position - 1 AS DOUBLE) / $chunk)) AS k
GROUP BY k.treebank
ORDER BY k.treebank
