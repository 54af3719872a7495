-- path_differences: the paths that differ between the trees, sorted by difference, descending; one row per pair of links.
-- kind: statistic
-- engine: kernel: Levenshtein distances and a minimum spanning tree
-- parameters: as path_disparities
-- audit path_correspondence
-- column sentence INTEGER: the sentence
-- column sent_id VARCHAR: its sent_id in the reference
-- column reference_words VARCHAR: the two words of the reference
-- column hypothesis_words VARCHAR: the two words of the hypothesis
-- column reference_path VARCHAR: the path from the first to the second, as in path_disparities
-- column hypothesis_path VARCHAR: the same in the hypothesis
-- column disparity BIGINT: edit operations between the two paths (L)
-- column maximum BIGINT: maximum for paths of these lengths (Lmax)
-- source: McCaffery 2017, PhD thesis, University of St Andrews, chapter 5
SELECT i.sentence, l.sent_id, i.reference_words, i.hypothesis_words, i.reference_path, i.hypothesis_path, i.disparity,
       i.maximum
FROM path_disparities AS i
JOIN sentences AS l ON l.sentence = i.sentence
WHERE l.corpus = $reference_corpus AND i.disparity > 0
ORDER BY i.disparity DESC, i.maximum, i.sentence, i.reference_first, i.reference_last
