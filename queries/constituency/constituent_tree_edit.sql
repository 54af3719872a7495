-- constituent_tree_edit: nodes to insert, delete or rename to turn the system's tree into the gold tree; one row per
--   sentence.
-- kind: metric
-- engine: kernel: compares whole trees
-- parameters: as robinson_foulds (gold_corpus, system_corpus, punctuation, rules, leaves)
-- audit missing_trees
-- column sentence INTEGER: the gold corpus's sentence
-- column comparable BIGINT: 1 if the trees have the same leaves
-- column edits BIGINT: edit distance of the trees with labels, tags and all words in their order, without traces and
--   phrases without words; punctuation is kept
-- column skeleton_edits BIGINT: edit distance of the trees without labels, tags and unary nodes
-- column compared_nodes BIGINT: nodes of both trees that `edits` is about: phrases, tags and words
-- score ted number lower = sum(edits) / nullif(sum(comparable), 0): mean edit distance over all words, regardless of
--   the parameters punctuation and leaves
-- score ted_skeleton number lower = sum(skeleton_edits) / nullif(sum(comparable), 0): mean edit distance of the
--   skeletons
-- score ted_normalised number lower = sum(edits) / nullif(sum(compared_nodes), 0): edits for each node of both trees, from 0
--   to 1
-- source: Zhang & Shasha 1989, Simple fast algorithms for the editing distance between trees and related problems
SELECT e.sentence, CAST(CASE WHEN e.skeleton_edits IS NULL THEN 0 ELSE 1 END AS BIGINT) AS comparable,
       CASE WHEN e.skeleton_edits IS NULL THEN NULL ELSE CAST(e.edits AS BIGINT) END AS edits, CAST(e.skeleton_edits AS BIGINT) AS skeleton_edits,
       CASE WHEN e.skeleton_edits IS NULL THEN NULL ELSE CAST(e.compared_nodes AS BIGINT) END AS compared_nodes
FROM (SELECT g.sentence, skeleton_edit_distance(g.tree, t.tree, $leaves) AS skeleton_edits,
             constituent_tree_edit_distance(x.tree, y.tree) AS edits,
             constituent_tree_nodes(x.tree) + constituent_tree_nodes(y.tree) AS compared_nodes
      FROM packed_trees(tree_corpus := $gold_corpus) AS g
      JOIN packed_trees(tree_corpus := $system_corpus) AS t ON t.sentence = g.sentence
      JOIN labelled_trees(tree_corpus := $gold_corpus) AS x ON x.sentence = g.sentence
      JOIN labelled_trees(tree_corpus := $system_corpus) AS y ON y.sentence = g.sentence) AS e
