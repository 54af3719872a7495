-- error_words: words that a system gets wrong; one row per form and part of speech with at least one error.
-- kind: statistic
-- parameters: as attachment
-- audit tree_correspondence
-- audit unparsed_gold
-- column form VARCHAR: the word
-- column upos VARCHAR: its gold part of speech
-- column words BIGINT: number of times it is scored
-- column errors BIGINT: number of them with a wrong head or a wrong relation
-- column head_errors BIGINT: number of them with a wrong head
-- column relation_errors BIGINT: number of them with a wrong relation
-- column both_errors BIGINT: number of them with both wrong
-- source: Buchholz & Marsi 2006, CoNLL-X shared task (eval.pl); Nivre et al. 2007, CoNLL 2007 shared task (eval07.pl),
--   focus words where most of the errors occur
SELECT t.form, t.upos, t.words, t.errors, t.head_errors, t.relation_errors, t.both_errors
FROM (SELECT a.form, a.upos, CAST(sum(a.gold_words) AS BIGINT) AS words,
             CAST(sum(1 - a.correct_edge) AS BIGINT) AS errors,
             CAST(sum(1 - a.correct_head) AS BIGINT) AS head_errors,
             CAST(sum(1 - a.correct_relation) AS BIGINT) AS relation_errors,
             CAST(sum((1 - a.correct_head) * (1 - a.correct_relation)) AS BIGINT) AS both_errors
      FROM attachment AS a
      WHERE a.gold_words = 1
      GROUP BY a.form, a.upos) AS t
WHERE t.errors > 0
ORDER BY t.errors DESC, t.form, t.upos
