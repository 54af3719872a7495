-- error_contexts: words before and after the wrong words of a system; one row per side and neighbouring word.
-- kind: statistic
-- parameters: as attachment
-- audit tree_correspondence
-- audit unparsed_gold
-- column context VARCHAR: before or after: the side of the wrong words on which the neighbour is
-- column form VARCHAR: the neighbouring word, scored or not; `.S` at the start of a sentence, `.E` at its end
-- column upos VARCHAR: its gold part of speech; NULL for `.S` and `.E`
-- column errors BIGINT: number of its neighbours with a wrong head or a wrong relation
-- column head_errors BIGINT: number of its neighbours with a wrong head
-- column relation_errors BIGINT: number of its neighbours with a wrong relation
-- column both_errors BIGINT: number of its neighbours with both wrong
-- source: Buchholz & Marsi 2006, CoNLL-X shared task (eval.pl); Nivre et al. 2007, CoNLL 2007 shared task (eval07.pl),
--   one-token contexts where most of the errors occur, whose counts by part of speech are the sums over form here
SELECT t.context, t.form, t.upos, CAST(sum(t.errors) AS BIGINT) AS errors,
       CAST(sum(t.wrong_head) AS BIGINT) AS head_errors,
       CAST(sum(t.wrong_relation) AS BIGINT) AS relation_errors,
       CAST(sum(t.wrong_head * t.wrong_relation) AS BIGINT) AS both_errors
FROM (SELECT n.context, g.upos, n.errors, n.wrong_head, n.wrong_relation,
             CASE WHEN g.neighbour IS NOT NULL THEN g.form WHEN n.context = 'before' THEN '.S' ELSE '.E' END AS form
      FROM (SELECT 'before' AS context, a.sentence, a.word - 1 AS neighbour, a.gold_words AS errors,
                   1 - a.correct_head AS wrong_head, 1 - a.correct_relation AS wrong_relation
            FROM attachment AS a
            WHERE a.correct_edge = 0 AND a.gold_words = 1
            UNION ALL
            SELECT 'after' AS context, a.sentence, a.word + 1 AS neighbour, a.gold_words AS errors,
                   1 - a.correct_head AS wrong_head, 1 - a.correct_relation AS wrong_relation
            FROM attachment AS a
            WHERE a.correct_edge = 0 AND a.gold_words = 1) AS n
      LEFT JOIN (SELECT w.sentence, w.word AS neighbour, w.form, w.upos
                 FROM words AS w
                 WHERE w.corpus = $gold_corpus) AS g ON g.sentence = n.sentence AND g.neighbour = n.neighbour) AS t
GROUP BY t.context, t.form, t.upos
ORDER BY errors DESC, t.context DESC, t.form, t.upos
