-- dependency_tree_edit: edit distance of two dependency trees, words in order below an artificial root; one row per
--   sentence.
-- kind: metric
-- engine: kernel: tree edit distance
-- parameters: as path_disparities (reference_corpus, hypothesis_corpus)
-- parameter costs TEXT(structure|deprel) = deprel: cost of renaming a word: structure, 0; deprel, 1 where relations
--   differ
-- audit tree_pair_correspondence
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
LEFT JOIN (SELECT p.sentence,
                  dependency_tree_edit_distance(p.head_list, p.relation_list, p.other_heads, p.other_relations,
                                                CAST([] AS INTEGER[]), CAST([] AS INTEGER[]), $costs) AS edits
           FROM (SELECT r.sentence, r.head_list, r.relation_list, h.head_list AS other_heads, h.relation_list AS other_relations
                 FROM tree_lists AS r
                 JOIN tree_lists AS h ON h.sentence = r.sentence
                 WHERE r.corpus = $reference_corpus AND h.corpus = $hypothesis_corpus) AS p) AS d
  ON d.sentence = s.sentence
