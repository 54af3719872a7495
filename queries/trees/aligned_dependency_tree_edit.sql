-- aligned_dependency_tree_edit: edit distance of two dependency trees in which aligned words correspond; one row per
--   sentence.
-- kind: metric
-- engine: kernel: tree edit distance
-- parameters: as path_disparities
-- parameter costs TEXT(aligned|aligned_strict) = aligned: cost of turning a word into one that it is not aligned with:
--   aligned, 1; aligned_strict, 2
-- audit path_correspondence
-- column sentence INTEGER: the sentence
-- count tree_edit BIGINT: smallest number of words to insert, delete or rename
-- column edited_words BIGINT: words of both trees
-- score tree_edit_normalised percent lower = sum(tree_edit) / nullif(sum(edited_words), 0): edits as a share of the
--   words of both trees
-- source: Zhang & Shasha 1989, Simple fast algorithms for the editing distance between trees and related problems
SELECT s.sentence, CAST(coalesce(d.edits, s.words_of_both) AS BIGINT) AS tree_edit, CAST(s.words_of_both AS BIGINT) AS edited_words
FROM (SELECT r.sentence, r.n_words + h.n_words AS words_of_both
      FROM sentences AS r
      JOIN sentences AS h ON h.sentence = r.sentence
      WHERE r.corpus = $reference_corpus AND h.corpus = $hypothesis_corpus) AS s
LEFT JOIN (SELECT a.sentence,
                  dependency_tree_edit_distance(a.reference_heads, a.reference_relations, a.hypothesis_heads,
                                                a.hypothesis_relations, a.reference_links, a.hypothesis_links, $costs)
                      AS edits
           FROM aligned_trees AS a) AS d ON d.sentence = s.sentence
