-- head_directions: recall and precision of the direction of the head; one row per direction that occurs.
-- kind: statistic
-- parameters: as attachment
-- audit tree_correspondence
-- audit unparsed_gold
-- column direction VARCHAR: to_root, left (the head comes before the word) or right; self where a word is its own head,
--   in a sentence loaded with a cycle; a missing head has none
-- column gold_words BIGINT: number of scored words with this direction in the gold trees
-- column system_words BIGINT: number of scored words with it in the system's trees
-- column correct_directions BIGINT: number of words with it on both sides, whether or not the head is the same
-- column direction_recall DOUBLE: correct_directions over gold_words
-- column direction_precision DOUBLE: correct_directions over system_words
-- source: Buchholz & Marsi 2006, CoNLL-X shared task (eval.pl); Nivre et al. 2007, CoNLL 2007 shared task (eval07.pl),
--   `Precision and recall of binned HEAD direction`
SELECT t.direction, t.gold_words, t.system_words, t.correct_directions,
       CAST(t.correct_directions AS DOUBLE) / nullif(t.gold_words, 0) AS direction_recall,
       CAST(t.correct_directions AS DOUBLE) / nullif(t.system_words, 0) AS direction_precision
FROM (SELECT s.direction, CAST(sum(s.gold_words) AS BIGINT) AS gold_words,
             CAST(sum(s.system_words) AS BIGINT) AS system_words,
             CAST(sum(CASE WHEN s.direction = s.other_direction THEN s.gold_words ELSE 0 END) AS BIGINT)
                 AS correct_directions
      FROM (SELECT h.gold_words, h.system_words,
                   CASE WHEN h.head = 0 THEN 'to_root' WHEN h.head < h.word THEN 'left'
                        WHEN h.head > h.word THEN 'right' WHEN h.head = h.word THEN 'self'
                   END AS direction,
                   CASE WHEN h.other_head = 0 THEN 'to_root' WHEN h.other_head < h.other_word THEN 'left'
                        WHEN h.other_head > h.other_word THEN 'right' WHEN h.other_head = h.other_word THEN 'self'
                   END AS other_direction
            FROM (SELECT a.word, a.gold_head AS head, a.system_word AS other_word, a.system_head AS other_head,
                         1 AS gold_words, 0 AS system_words
                  FROM attachment AS a
                  UNION ALL
                  SELECT a.system_word AS word, a.system_head AS head, a.word AS other_word, a.gold_head AS other_head,
                         0 AS gold_words, 1 AS system_words
                  FROM attachment AS a) AS h
            WHERE h.head IS NOT NULL) AS s
      GROUP BY s.direction) AS t
ORDER BY CASE t.direction WHEN 'to_root' THEN 0 WHEN 'left' THEN 1 WHEN 'right' THEN 2 ELSE 3 END
