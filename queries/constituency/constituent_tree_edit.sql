-- constituent_tree_edit: nodes to insert, delete or rename to make the gold tree of the system's; one row per sentence.
-- kind: metric
-- engine: kernel: trees are compared whole
-- parameter gold_corpus TEXT: corpus of the gold trees
-- parameter system_corpus TEXT: corpus of the system's trees
-- parameter punctuation TEXT(keep|drop) = keep: whether words stay that the parameter set leaves out by their gold tags
-- parameter rules TEXT = COLLINS: parameter set of the table evalb_parameters
-- parameter leaves TEXT(order|name|common) = order: which leaves are the same: those of the same rank, which must have the
--   same forms; those of the same name; or those only whose names are in both trees
-- audit missing_trees
-- column sentence INTEGER: the gold corpus's sentence
-- column comparable BIGINT: 1 if the trees have the same leaves
-- column edits BIGINT: edit distance of the trees with labels, tags and all words in their order, traces and phrases without words left out; punctuation stays
-- column skeleton_edits BIGINT: edit distance of the trees without labels, tags and unary nodes
-- score ted number lower = sum(edits) / nullif(sum(comparable), 0): mean edit distance, of all words whatever punctuation and leaves say
-- score ted_skeleton number lower = sum(skeleton_edits) / nullif(sum(comparable), 0): mean edit distance of the
--   skeletons
-- source: Zhang & Shasha 1989, Simple fast algorithms for the editing distance between trees and related problems
SELECT e.sentence, CAST(CASE WHEN e.skeleton_edits IS NULL THEN 0 ELSE 1 END AS BIGINT) AS comparable,
       CASE WHEN e.skeleton_edits IS NULL THEN NULL ELSE CAST(e.edits AS BIGINT) END AS edits, CAST(e.skeleton_edits AS BIGINT) AS skeleton_edits
FROM (SELECT g.sentence, skeleton_edit_distance(g.tree, t.tree, $leaves) AS skeleton_edits,
             constituent_tree_edit_distance(x.tree, y.tree) AS edits
      FROM packed_trees(tree_corpus := $gold_corpus) AS g
      JOIN packed_trees(tree_corpus := $system_corpus) AS t ON t.sentence = g.sentence
      JOIN labelled_trees(tree_corpus := $gold_corpus) AS x ON x.sentence = g.sentence
      JOIN labelled_trees(tree_corpus := $system_corpus) AS y ON y.sentence = g.sentence) AS e
