-- upos_inventory: frequency of every universal part of speech; one row per corpus and tag.
-- kind: statistic
-- column corpus VARCHAR: the corpus
-- column upos VARCHAR: the universal part of speech
-- column words BIGINT: number of words with it
-- column types BIGINT: number of distinct forms with it
-- column lemmas BIGINT: number of distinct lemmas with it
-- source: de Marneffe et al. 2021, Universal Dependencies: treebank statistics
SELECT w.corpus, w.upos, CAST(count(*) AS BIGINT) AS words, CAST(count(DISTINCT w.form) AS BIGINT) AS types,
       CAST(count(DISTINCT w.lemma) AS BIGINT) AS lemmas
FROM words AS w
GROUP BY w.corpus, w.upos
ORDER BY w.corpus, words DESC, w.upos
