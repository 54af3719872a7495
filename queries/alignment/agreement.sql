-- agreement: links of an alignment compared with those of the gold alignment; one row per link that either has.
-- kind: metric
-- parameter gold_corpus TEXT: the gold alignment, whose links are sure or possible
-- parameter system_corpus TEXT: the system's alignment, whose links are all equivalent
-- audit alignment_correspondence
-- column sentence INTEGER: the sentence
-- column source INTEGER: position of the source word; 0 in a null link
-- column target INTEGER: position of the target word; 0 in a null link
-- column distance INTEGER: target - source; NULL in a null link
-- column gold_link VARCHAR: sure, possible or none: what the gold alignment has
-- count proposed BIGINT: 1 if the system has the link (A)
-- count sure BIGINT: 1 if it is a sure link of the gold alignment (S)
-- count possible BIGINT: 1 if it is any link of the gold alignment, as sure links are also possible (P)
-- column matched_sure BIGINT: 1 if it is proposed and sure
-- column matched_possible BIGINT: 1 if it is proposed and possible
-- score precision percent higher = sum(matched_possible) / nullif(sum(proposed), 0): share of the proposed links that
--   are possible; NULL where nothing is proposed
-- score recall percent higher = sum(matched_sure) / nullif(sum(sure), 0): share of the sure links that are proposed; NULL where
--   none is sure
-- score aer percent lower = 1 - (sum(matched_sure) + sum(matched_possible)) / nullif(sum(proposed) + sum(sure), 0):
--   alignment error rate; 1 where nothing is proposed, NULL where no link is sure either
-- score sure_precision percent higher = sum(matched_sure) / nullif(sum(proposed), 0): share of the proposed links that are sure
-- score sure_recall percent higher = sum(matched_sure) / nullif(sum(sure), 0): the same as recall
-- score sure_f1 percent higher = 2 * sum(matched_sure) / nullif(sum(proposed) + sum(sure), 0): F1 of proposed against sure links
-- score possible_precision percent higher = sum(matched_possible) / nullif(sum(proposed), 0): the same as precision
-- score possible_recall percent higher = sum(matched_possible) / nullif(sum(possible), 0): share of the possible links that are
--   proposed
-- score possible_f1 percent higher = 2 * sum(matched_possible) / nullif(sum(proposed) + sum(possible), 0): F1 of proposed against
--   possible links
-- source: Och & Ney 2003, A systematic comparison of various statistical alignment models; Mihalcea & Pedersen 2003, An
--   evaluation exercise for word alignment (for sure and possible links alone)
SELECT l.sentence, l.source, l.target,
       CASE WHEN l.source > 0 AND l.target > 0 THEN l.target - l.source END AS distance,
       CASE WHEN l.gold_sure THEN 'sure' WHEN l.gold_sure IS NOT NULL THEN 'possible' ELSE 'none' END AS gold_link,
       CASE WHEN l.system_sure IS NOT NULL THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END AS proposed,
       CASE WHEN l.gold_sure THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END AS sure,
       CASE WHEN l.gold_sure IS NOT NULL THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END AS possible,
       CASE WHEN l.gold_sure AND l.system_sure IS NOT NULL THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END
           AS matched_sure,
       CASE WHEN l.gold_sure IS NOT NULL AND l.system_sure IS NOT NULL THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END
           AS matched_possible
FROM linked_words AS l
