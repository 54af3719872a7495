-- feature_inventory: values of morphological features by part of speech, the most frequent first; one row per corpus,
--   part of speech, feature and value.
-- kind: statistic
-- engine: duckdb: the view features is made of lists
-- parameters: as treebank_forms (corpus_name)
-- column corpus VARCHAR: the corpus
-- column upos VARCHAR: the universal part of speech
-- column feature VARCHAR: the feature, such as `Number`
-- column feature_value VARCHAR: its value, such as `Sing`; NULL for an entry without `=`
-- column words BIGINT: number of words with it
-- column upos_share DOUBLE: its share in the words of the part of speech
-- source: de Marneffe et al. 2021, Universal Dependencies: treebank statistics
SELECT c.corpus, c.upos, f.name AS feature, f.value AS feature_value, CAST(sum(c.n) AS BIGINT) AS words,
       CAST(sum(c.n) AS DOUBLE) / max(c.upos_words) AS upos_share
FROM (SELECT g.corpus, g.upos, g.feats, g.n, sum(g.n) OVER (PARTITION BY g.corpus, g.upos) AS upos_words
      FROM (SELECT w.corpus, w.upos, w.feats, count(*) AS n
            FROM words AS w
            WHERE $corpus_name = '' OR w.corpus = $corpus_name
            GROUP BY w.corpus, w.upos, w.feats) AS g) AS c
JOIN features AS f ON f.feats = c.feats
GROUP BY c.corpus, c.upos, f.name, f.value
ORDER BY c.corpus, words DESC, c.upos, f.name, f.value
