-- relation_agreement: recall and precision of each relation, alone and with the head; one row per relation found.
-- kind: statistic
-- parameters: as attachment
-- audit tree_correspondence
-- audit unparsed_gold
-- column relation VARCHAR: the relation, cut at the first `:` unless relations = full; `_` where it is unspecified
-- column gold_words BIGINT: number of scored words with it in the gold trees
-- column system_words BIGINT: number of scored words with it in the system's trees
-- column correct_relations BIGINT: number of words with it on both sides
-- column relation_recall DOUBLE: correct_relations over gold_words
-- column relation_precision DOUBLE: correct_relations over system_words
-- column correct_edges BIGINT: number of words with it on both sides and the right head
-- column edge_recall DOUBLE: correct_edges over gold_words
-- column edge_precision DOUBLE: correct_edges over system_words
-- source: Buchholz & Marsi 2006, CoNLL-X shared task (eval.pl); Nivre et al. 2007, CoNLL 2007 shared task (eval07.pl),
--   `Precision and recall of DEPREL` and of `DEPREL + ATTACHMENT`
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
            FROM relation_confusions AS c
            UNION ALL
            SELECT c.system_relation AS relation, 0 AS gold_words, c.words AS system_words, 0 AS correct_relations,
                   0 AS correct_edges
            FROM relation_confusions AS c) AS r
      WHERE r.relation IS NOT NULL
      GROUP BY r.relation) AS t
ORDER BY t.gold_words DESC, t.relation
