-- exact_match: sentences that a system parses without an error; one row per sentence with at least
--   one scored word of either side.
-- kind: metric
-- parameters: as attachment
-- audit tree_correspondence
-- audit unparsed_gold
-- column sentence INTEGER: the gold corpus's sentence
-- column sentences BIGINT: 1 for every sentence
-- column exact_sentences BIGINT: 1 if all its heads and relations are right, and no word lacks a counterpart
-- column exact_unlabelled_sentences BIGINT: 1 if all its heads are right, and no word lacks a counterpart
-- score exact_match percent higher = sum(exact_sentences) / nullif(sum(sentences), 0): share of sentences with all
--   heads and relations right
-- score exact_match_unlabelled percent higher = sum(exact_unlabelled_sentences) / nullif(sum(sentences), 0): share of sentences
--   with all heads right
-- source: Yamada & Matsumoto 2003, Statistical dependency analysis with support vector machines (complete rate)
SELECT a.sentence, CAST(1 AS BIGINT) AS sentences, min(a.correct_edge) AS exact_sentences,
       min(a.correct_head) AS exact_unlabelled_sentences
FROM attachment AS a
GROUP BY a.sentence
