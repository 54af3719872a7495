-- upos_accuracy: accuracy of heads and relations for each part of speech; one row per gold upos.
-- kind: statistic
-- parameters: as attachment
-- audit tree_correspondence
-- audit unparsed_gold
-- column upos VARCHAR: part of speech in the gold trees
-- column words BIGINT: number of its scored words
-- column correct_heads BIGINT: number of them with the right head
-- column correct_relations BIGINT: number of them with the right relation
-- column correct_edges BIGINT: number of them with both right
-- column head_accuracy DOUBLE: correct_heads over words
-- column relation_accuracy DOUBLE: correct_relations over words
-- column edge_accuracy DOUBLE: correct_edges over words
-- compares upos: words
-- source: Buchholz & Marsi 2006, CoNLL-X shared task (eval.pl); Nivre et al. 2007, CoNLL 2007 shared task (eval07.pl),
--   accuracy by CPOSTAG
SELECT t.upos, t.words, t.correct_heads, t.correct_relations, t.correct_edges,
       CAST(t.correct_heads AS DOUBLE) / nullif(t.words, 0) AS head_accuracy,
       CAST(t.correct_relations AS DOUBLE) / nullif(t.words, 0) AS relation_accuracy,
       CAST(t.correct_edges AS DOUBLE) / nullif(t.words, 0) AS edge_accuracy
FROM (SELECT a.upos, CAST(sum(a.gold_words) AS BIGINT) AS words,
             CAST(sum(a.correct_head) AS BIGINT) AS correct_heads,
             CAST(sum(a.correct_relation) AS BIGINT) AS correct_relations,
             CAST(sum(a.correct_edge) AS BIGINT) AS correct_edges
      FROM attachment AS a
      WHERE a.gold_words = 1
      GROUP BY a.upos) AS t
ORDER BY t.words DESC, t.upos
