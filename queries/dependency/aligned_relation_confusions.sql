-- aligned_relation_confusions: relation_confusions where the words of gold and system differ and are aligned by their
--   characters; one row per pair of relations, correct or not, and per relation of words without a counterpart.
-- kind: statistic
-- engine: kernel: aligned_words aligns words
-- parameters: as aligned_attachment
-- audit text_correspondence
-- audit unparsed_gold
-- column gold_relation VARCHAR: relation in the gold tree, cut at the first `:` unless relations = full; `_` where it
--   is unspecified, NULL for words that only the system has
-- column system_relation VARCHAR: relation in the system's tree, likewise; NULL for words that only the gold trees have
-- column words BIGINT: number of scored words with this pair of relations
-- column correct_heads BIGINT: number of them with the right head
-- column gold_share DOUBLE: their share of the words of the gold relation; NULL for words that only the system has
-- source: Buchholz & Marsi 2006, CoNLL-X shared task (eval.pl); Zeman et al. 2018, CoNLL 2018 shared task
SELECT c.gold_relation, c.system_relation, c.words, c.correct_heads,
       CASE WHEN c.gold_relation IS NOT NULL
            THEN CAST(c.words AS DOUBLE) / sum(c.words) OVER (PARTITION BY c.gold_relation) END AS gold_share
FROM (SELECT r.gold_relation, r.system_relation, CAST(sum(r.words) AS BIGINT) AS words,
             CAST(sum(r.correct_head) AS BIGINT) AS correct_heads
      FROM (SELECT CASE WHEN a.gold_words = 0 THEN NULL
                        WHEN $relations = 'full' THEN coalesce(a.gold_deprel, '_')
                        ELSE coalesce(split_part(a.gold_deprel, ':', 1), '_') END AS gold_relation,
                   CASE WHEN a.system_words = 0 THEN NULL
                        WHEN $relations = 'full' THEN coalesce(a.system_deprel, '_')
                        ELSE coalesce(split_part(a.system_deprel, ':', 1), '_') END AS system_relation,
                   1 AS words, a.correct_head
            FROM aligned_attachment AS a) AS r
      GROUP BY r.gold_relation, r.system_relation) AS c
ORDER BY c.words DESC, c.gold_relation NULLS LAST, c.system_relation NULLS LAST
