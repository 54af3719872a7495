-- relation_confusions: relations that a system assigns to the words of each gold relation; one row per pair, correct or
--   not.
-- kind: statistic
-- parameters: as attachment
-- audit tree_correspondence
-- audit unparsed_gold
-- matrix gold_relation by system_relation of words
-- column gold_relation VARCHAR: relation in the gold tree, cut at the first `:` unless relations = full; `_` where it
--   is unspecified, NULL for words that only the system has
-- column system_relation VARCHAR: relation in the system's tree, likewise; NULL for words that only the gold trees have
-- column words BIGINT: number of scored words with this pair of relations
-- column correct_heads BIGINT: number of them with the right head
-- column gold_share DOUBLE: their share of the words of the gold relation; NULL for words that only the system has
-- source: Buchholz & Marsi 2006, CoNLL-X shared task (eval.pl); Nivre et al. 2007, CoNLL 2007 shared task (eval07.pl),
--   whose `Precision and recall of DEPREL` are the sums of this table
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
            FROM attachment AS a) AS r
      GROUP BY r.gold_relation, r.system_relation) AS c
ORDER BY c.words DESC, c.gold_relation NULLS LAST, c.system_relation NULLS LAST
