-- compared_splits: the clusters or splits of two trees counted; one row per pair of trees.
-- kind: relation
-- engine: kernel: trees are compared whole
-- parameter gold_corpus TEXT: corpus of the gold trees
-- parameter system_corpus TEXT: corpus of the system's trees
-- parameter punctuation TEXT(keep|drop) = keep: whether words stay that the parameter set leaves out by their gold tags
-- parameter rules TEXT = COLLINS: parameter set of the table evalb_parameters
-- parameter leaves TEXT(order|name|common) = order: which leaves are the same: those of the same rank, which must have the
--   same forms; those of the same name; or those only whose names are in both trees
-- parameter rooting TEXT(rooted|unrooted) = rooted: whether sets of leaves are clusters, or splits of all leaves in two
-- column sentence INTEGER: the sentence
-- column counts STRUCT(n_leaves BIGINT, gold BIGINT, test BIGINT, common BIGINT, gold_incompatible BIGINT, test_incompatible BIGINT): how
--   many of them there are, are shared, and are in conflict with the other tree; NULL if leaves differ, or none is left
-- source: Robinson & Foulds 1981, Comparison of phylogenetic trees
SELECT c.sentence, CASE WHEN c.counts.n_leaves > 0 THEN c.counts END AS counts
FROM (SELECT g.sentence, split_counts(g.tree, t.tree, $leaves, $rooting) AS counts
      FROM packed_trees(tree_corpus := $gold_corpus) AS g
      JOIN packed_trees(tree_corpus := $system_corpus) AS t ON t.sentence = g.sentence) AS c
