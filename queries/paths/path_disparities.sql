-- path_disparities: differences between the paths that connect aligned words in two dependency trees; one row per pair
--   of links on the spanning tree of a sentence.
-- kind: metric
-- engine: kernel: Levenshtein distances and a minimum spanning tree
-- parameter reference_corpus TEXT: corpus of the reference trees
-- parameter hypothesis_corpus TEXT: corpus of the trees of hypotheses, or of translations
-- parameter alignment_corpus TEXT: alignment of reference words (source) and hypothesis words (target)
-- audit path_correspondence
-- column sentence INTEGER: the sentence
-- column reference_first INTEGER: reference word of the first link
-- column reference_last INTEGER: reference word of the second
-- column hypothesis_first INTEGER: hypothesis word of the first link
-- column hypothesis_last INTEGER: hypothesis word of the second
-- column reference_words VARCHAR: the two words of the reference
-- column hypothesis_words VARCHAR: the two words of the hypothesis
-- column reference_path VARCHAR: the path from the first to the second: relations upwards; alpha if it leads to the
--   right, else beta; relations downwards
-- column hypothesis_path VARCHAR: the same in the hypothesis
-- count disparity BIGINT: edit operations between the two paths (L), 0 where the links share a word
-- count maximum BIGINT: maximum for paths of these lengths (Lmax), 0 where the links share a word
-- column weighted_disparity DOUBLE: disparity divided by the sum of maximum over the sentence
-- column weighted_maximum DOUBLE: maximum divided by it, so that every sentence has the weight 1
-- score distance percent lower = sum(disparity) / nullif(sum(maximum), 0): disparity as a share of its maximum
-- score distance_macro percent lower = sum(weighted_disparity) / nullif(sum(weighted_maximum), 0): mean of the
--   distances of sentences that have one
-- source: McCaffery 2017, PhD thesis, University of St Andrews, chapter 5
SELECT s.sentence, s.reference_first, s.reference_last, s.hypothesis_first, s.hypothesis_last, s.reference_words,
       s.hypothesis_words, s.reference_path, s.hypothesis_path, s.disparity, s.maximum,
       CASE WHEN s.sentence_maximum > 0 THEN CAST(s.disparity AS DOUBLE) / s.sentence_maximum ELSE 0 END
           AS weighted_disparity,
       CASE WHEN s.sentence_maximum > 0 THEN CAST(s.maximum AS DOUBLE) / s.sentence_maximum ELSE 0 END
           AS weighted_maximum
FROM spanning_trees AS s
