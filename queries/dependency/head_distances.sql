-- head_distances: recall and precision of the distance of the head; one row per bin of distances that occurs.
-- kind: statistic
-- parameters: as attachment
-- audit tree_correspondence
-- audit unparsed_gold
-- column distance VARCHAR: to_root, or the number of words from word to head, 1, 2, 3-6 or 7-...; a word that is its
--   own head counts as 1, a missing head is not counted
-- column gold_words BIGINT: number of scored words with this distance in the gold trees
-- column system_words BIGINT: number of scored words with it in the system's trees
-- column correct_distances BIGINT: number of words with it on both sides, whether or not the head is the same
-- column distance_recall DOUBLE: correct_distances over gold_words
-- column distance_precision DOUBLE: correct_distances over system_words
-- source: Buchholz & Marsi 2006, CoNLL-X shared task (eval.pl); Nivre et al. 2007, CoNLL 2007 shared task (eval07.pl),
--   `Precision and recall of binned HEAD distance`
SELECT t.distance, t.gold_words, t.system_words, t.correct_distances,
       CAST(t.correct_distances AS DOUBLE) / nullif(t.gold_words, 0) AS distance_recall,
       CAST(t.correct_distances AS DOUBLE) / nullif(t.system_words, 0) AS distance_precision
FROM (SELECT s.distance, CAST(sum(s.gold_words) AS BIGINT) AS gold_words,
             CAST(sum(s.system_words) AS BIGINT) AS system_words,
             CAST(sum(CASE WHEN s.distance = s.other_distance THEN s.gold_words ELSE 0 END) AS BIGINT)
                 AS correct_distances
      FROM (SELECT h.gold_words, h.system_words,
                   CASE WHEN h.head = 0 THEN 'to_root' WHEN abs(h.head - h.word) <= 1 THEN '1'
                        WHEN abs(h.head - h.word) = 2 THEN '2' WHEN abs(h.head - h.word) <= 6 THEN '3-6'
                        WHEN abs(h.head - h.word) > 6 THEN '7-...'
                   END AS distance,
                   CASE WHEN h.other_head = 0 THEN 'to_root' WHEN abs(h.other_head - h.other_word) <= 1 THEN '1'
                        WHEN abs(h.other_head - h.other_word) = 2 THEN '2' WHEN abs(h.other_head - h.other_word) <= 6 THEN '3-6'
                        WHEN abs(h.other_head - h.other_word) > 6 THEN '7-...'
                   END AS other_distance
            FROM (SELECT a.word, a.gold_head AS head, a.system_word AS other_word, a.system_head AS other_head,
                         1 AS gold_words, 0 AS system_words
                  FROM attachment AS a
                  UNION ALL
                  SELECT a.system_word AS word, a.system_head AS head, a.word AS other_word, a.gold_head AS other_head,
                         0 AS gold_words, 1 AS system_words
                  FROM attachment AS a) AS h
            WHERE h.head IS NOT NULL) AS s
      GROUP BY s.distance) AS t
ORDER BY CASE t.distance WHEN 'to_root' THEN 0 WHEN '1' THEN 1 WHEN '2' THEN 2 WHEN '3-6' THEN 3 ELSE 4 END
