-- aligned_relation_agreement: relation_agreement where the words of gold and system differ and are aligned by their
--   characters; one row per relation found.
-- kind: statistic
-- engine: kernel: aligned_words aligns words
-- parameters: as aligned_attachment
-- audit text_correspondence
-- audit unparsed_gold
-- column relation VARCHAR: the relation, cut at the first `:` unless relations = full; `_` where it is unspecified
-- column gold_words BIGINT: number of scored words with it in the gold trees
-- column system_words BIGINT: number of scored words with it in the system's trees
-- column correct_relations BIGINT: number of aligned words with it on both sides
-- column relation_recall DOUBLE: correct_relations over gold_words
-- column relation_precision DOUBLE: correct_relations over system_words
-- column correct_edges BIGINT: number of aligned words with it on both sides and the right head
-- column edge_recall DOUBLE: correct_edges over gold_words
-- column edge_precision DOUBLE: correct_edges over system_words
-- source: Buchholz & Marsi 2006, CoNLL-X shared task (eval.pl); Zeman et al. 2018, CoNLL 2018 shared task
SELECT t.relation, t.gold_words, t.system_words, t.correct_relations,
       CAST(t.correct_relations AS DOUBLE) / nullif(t.gold_words, 0) AS relation_recall,
       CAST(t.correct_relations AS DOUBLE) / nullif(t.system_words, 0) AS relation_precision, t.correct_edges,
       CAST(t.correct_edges AS DOUBLE) / nullif(t.gold_words, 0) AS edge_recall,
       CAST(t.correct_edges AS DOUBLE) / nullif(t.system_words, 0) AS edge_precision
FROM (SELECT r.relation, CAST(sum(r.gold_words) AS BIGINT) AS gold_words,
             CAST(sum(r.system_words) AS BIGINT) AS system_words,
             CAST(sum(r.correct_relations) AS BIGINT) AS correct_relations,
             CAST(sum(r.correct_edges) AS BIGINT) AS correct_edges
      FROM (SELECT c.gold_relation AS relation, c.words AS gold_words, 0 AS system_words,
                   CASE WHEN c.gold_relation = c.system_relation THEN c.words ELSE 0 END AS correct_relations,
                   CASE WHEN c.gold_relation = c.system_relation THEN c.correct_heads ELSE 0 END AS correct_edges
            FROM aligned_relation_confusions AS c
            UNION ALL
            SELECT c.system_relation AS relation, 0 AS gold_words, c.words AS system_words, 0 AS correct_relations,
                   0 AS correct_edges
            FROM aligned_relation_confusions AS c) AS r
      WHERE r.relation IS NOT NULL
      GROUP BY r.relation) AS t
ORDER BY t.gold_words DESC, t.relation
