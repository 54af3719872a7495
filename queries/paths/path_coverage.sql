-- path_coverage: share of two dependency trees that is aligned, and therefore covered by path_disparities; one row per
--   sentence.
-- kind: metric
-- engine: kernel: Levenshtein distances and a minimum spanning tree
-- parameters: as path_disparities
-- audit path_correspondence
-- column sentence INTEGER: the sentence
-- count sentences BIGINT: 1 for every sentence
-- count sentences_without_distance BIGINT: 1 if all links share a word with each other, so that there are no paths to
--   compare
-- column words_with_links BIGINT: words of both trees with a link
-- column words_of_both BIGINT: words of both trees
-- column tree_disparity BIGINT: sum of disparity over the spanning tree
-- column tree_maximum BIGINT: sum of maximum over the spanning tree
-- score coverage percent neither = sum(words_with_links) / nullif(sum(words_of_both), 0): share of the words of both trees that have a
--   link
-- score covered_similarity percent higher = (1 - sum(tree_disparity) / nullif(sum(tree_maximum), 0)) *
--   sum(words_with_links) / nullif(sum(words_of_both), 0): (1 - distance) * coverage
-- source: McCaffery 2017, PhD thesis, University of St Andrews, chapter 5
SELECT r.sentence, CAST(1 AS BIGINT) AS sentences,
       CAST(CASE WHEN coalesce(d.tree_maximum, 0) > 0 THEN 0 ELSE 1 END AS BIGINT) AS sentences_without_distance,
       coalesce(l.words_with_links, 0) AS words_with_links, CAST(r.n_words + h.n_words AS BIGINT) AS words_of_both,
       coalesce(d.tree_disparity, 0) AS tree_disparity, coalesce(d.tree_maximum, 0) AS tree_maximum
FROM sentences AS r
JOIN sentences AS h ON h.sentence = r.sentence
LEFT JOIN (SELECT t.sentence,
                  CAST(list_unique(t.reference_links) + list_unique(t.hypothesis_links) AS BIGINT) AS words_with_links
           FROM aligned_trees AS t) AS l ON l.sentence = r.sentence
LEFT JOIN (SELECT s.sentence, CAST(sum(s.disparity) AS BIGINT) AS tree_disparity,
                  CAST(sum(s.maximum) AS BIGINT) AS tree_maximum
           FROM spanning_trees AS s
           GROUP BY s.sentence) AS d ON d.sentence = r.sentence
WHERE r.corpus = $reference_corpus AND h.corpus = $hypothesis_corpus
