-- pts: parallel treebank score: parsing of both sides, and alignment; one row per scored word of either side and per
--   link.
-- kind: metric
-- parameter gold_a_corpus TEXT: corpus of the gold trees of the source side, a
-- parameter system_a_corpus TEXT: corpus of the system's trees of the source side
-- parameter gold_b_corpus TEXT: corpus of the gold trees of the target side, b
-- parameter system_b_corpus TEXT: corpus of the system's trees of the target side
-- parameter gold_links_corpus TEXT: the gold alignment
-- parameter system_links_corpus TEXT: the system's alignment
-- parameter weight_a DOUBLE(0..) = 1: weight of uas_a
-- parameter weight_b DOUBLE(0..) = 1: weight of uas_b
-- parameter weight_links DOUBLE(0..) = 1: weight of 1 - aer
-- parameter punctuation TEXT(all|form|relation) = form: which words are scored, as in attachment
-- audit parallel_correspondence
-- column sentence INTEGER: the sentence
-- column part VARCHAR: a, b or links
-- column words_a BIGINT: 1 for every scored word of a
-- column correct_a BIGINT: 1 if its head is right
-- column words_b BIGINT: 1 for every scored word of b
-- column correct_b BIGINT: 1 if its head is right
-- column proposed BIGINT: 1 for a link that the system has
-- column sure BIGINT: 1 for a sure link of the gold alignment
-- column matched_sure BIGINT: 1 if it is proposed and sure
-- column matched_possible BIGINT: 1 if it is proposed and sure or possible
-- column alpha_a DOUBLE: weight of uas_a, in every row
-- column alpha_b DOUBLE: weight of uas_b
-- column alpha_links DOUBLE: weight of 1 - aer
-- score uas_a percent higher = sum(correct_a) / nullif(sum(words_a), 0): unlabelled attachment score of a
-- score uas_b percent higher = sum(correct_b) / nullif(sum(words_b), 0): unlabelled attachment score of b
-- score aer percent lower = 1 - (sum(matched_sure) + sum(matched_possible)) / nullif(sum(proposed) + sum(sure), 0):
--   alignment error rate
-- score pts percent higher = (sum(alpha_a) * sum(correct_a) / nullif(sum(words_a), 0) + sum(alpha_b) * sum(correct_b)
--   / nullif(sum(words_b), 0) + sum(alpha_links) * (sum(matched_sure) + sum(matched_possible)) / nullif(sum(proposed)
--   + sum(sure), 0)) / nullif(sum(alpha_a) + sum(alpha_b) + sum(alpha_links), 0): parallel treebank score, the weighted
--   mean of uas_a, uas_b and 1 - aer
-- score joint_f1 percent higher = 2 * (sum(correct_a) + sum(correct_b) + sum(matched_sure)) / nullif(2 * sum(words_a)
--   + 2 * sum(words_b) + sum(proposed) + sum(sure), 0): F1 over the edges of both trees and the links together, with the
--   sure links as gold ones
-- source: parallel treebank score, of a thesis on joint parsing and alignment of parallel treebanks, Copenhagen (section
--   3.2.3, which also names F1 over the whole structure, the two trees and the alignment); Och & Ney 2003 for the
--   alignment error rate
SELECT p.sentence, p.part, p.words_a, p.correct_a, p.words_b, p.correct_b, p.proposed, p.sure, p.matched_sure,
       p.matched_possible, CAST($weight_a AS DOUBLE) AS alpha_a, CAST($weight_b AS DOUBLE) AS alpha_b,
       CAST($weight_links AS DOUBLE) AS alpha_links
FROM (SELECT a.sentence, 'a' AS part, a.words AS words_a, a.correct_head AS correct_a, CAST(0 AS BIGINT) AS words_b,
             CAST(0 AS BIGINT) AS correct_b, CAST(0 AS BIGINT) AS proposed, CAST(0 AS BIGINT) AS sure,
             CAST(0 AS BIGINT) AS matched_sure, CAST(0 AS BIGINT) AS matched_possible
      FROM attachment(gold_corpus := $gold_a_corpus, system_corpus := $system_a_corpus) AS a
      UNION ALL
      SELECT b.sentence, 'b' AS part, CAST(0 AS BIGINT) AS words_a, CAST(0 AS BIGINT) AS correct_a, b.words AS words_b,
             b.correct_head AS correct_b, CAST(0 AS BIGINT) AS proposed, CAST(0 AS BIGINT) AS sure,
             CAST(0 AS BIGINT) AS matched_sure, CAST(0 AS BIGINT) AS matched_possible
      FROM attachment(gold_corpus := $gold_b_corpus, system_corpus := $system_b_corpus) AS b
      UNION ALL
      SELECT l.sentence, 'links' AS part, CAST(0 AS BIGINT) AS words_a, CAST(0 AS BIGINT) AS correct_a,
             CAST(0 AS BIGINT) AS words_b, CAST(0 AS BIGINT) AS correct_b, l.proposed, l.sure, l.matched_sure,
             l.matched_possible
      FROM agreement(gold_corpus := $gold_links_corpus, system_corpus := $system_links_corpus) AS l) AS p
