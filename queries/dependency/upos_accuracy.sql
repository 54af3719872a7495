-- upos_accuracy: how often heads and relations are right for each part of speech; one row per gold upos.
-- kind: statistic
-- parameter gold_corpus TEXT: corpus of the gold trees
-- parameter system_corpus TEXT: corpus of the system's trees
-- parameter match TEXT(order|sent_id) = order: which sentences correspond, those of the same rank or those of the same sent_id
-- parameter punctuation TEXT(all|form|relation) = all: which words are scored; form leaves out words
--   all of whose characters are of Unicode category P, relation those with deprel punct or upos PUNCT in the gold tree
-- parameter relations TEXT(universal|full) = universal: whether relations are compared up to the
--   first `:` or whole
-- audit tree_correspondence
-- audit unparsed_gold
-- column upos VARCHAR: part of speech in the gold trees
-- column words BIGINT: number of its scored words
-- column correct_heads BIGINT: how many of them have the right head
-- column correct_relations BIGINT: how many of them have the right relation
-- column correct_edges BIGINT: how many of them have both right
-- column head_accuracy DOUBLE: correct_heads over words
-- column relation_accuracy DOUBLE: correct_relations over words
-- column edge_accuracy DOUBLE: correct_edges over words
-- source: Buchholz & Marsi 2006, CoNLL-X shared task (eval.pl); CoNLL-2007 shared task (eval07.pl), accuracy by CPOSTAG
SELECT t.upos, t.words, t.correct_heads, t.correct_relations, t.correct_edges,
       CAST(t.correct_heads AS DOUBLE) / nullif(t.words, 0) AS head_accuracy,
       CAST(t.correct_relations AS DOUBLE) / nullif(t.words, 0) AS relation_accuracy,
       CAST(t.correct_edges AS DOUBLE) / nullif(t.words, 0) AS edge_accuracy
FROM (SELECT a.upos, CAST(sum(a.words) AS BIGINT) AS words,
             CAST(sum(a.correct_head) AS BIGINT) AS correct_heads,
             CAST(sum(a.correct_relation) AS BIGINT) AS correct_relations,
             CAST(sum(a.correct_edge) AS BIGINT) AS correct_edges
      FROM attachment AS a
      GROUP BY a.upos) AS t
ORDER BY t.words DESC, t.upos
