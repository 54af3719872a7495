-- compared_splits: counts of the clusters or splits of two trees; one row per pair of trees.
-- kind: relation
-- engine: kernel: compares whole trees
-- parameter gold_corpus TEXT: corpus of the gold trees
-- parameter system_corpus TEXT: corpus of the system's trees
-- parameter punctuation TEXT(keep|drop) = keep: whether words that the parameter set deletes by their gold tags are
--   kept
-- parameter rules TEXT = COLLINS: a parameter set of the table evalb_parameters
-- parameter leaves TEXT(order|name|common) = order: how leaves correspond: by position, with equal forms; by name; or
--   by name, ignoring names that only one tree has
-- parameter rooting TEXT(rooted|unrooted) = rooted: whether sets of leaves are clusters (rooted) or splits of all
--   leaves in two (unrooted)
-- column sentence INTEGER: the sentence
-- column counts STRUCT(n_leaves BIGINT, gold BIGINT, test BIGINT, common BIGINT, gold_incompatible BIGINT,
--   test_incompatible BIGINT): how many of them each tree has, both share, and conflict with the other tree; NULL if
--   leaves differ, or none remains
-- source: Robinson & Foulds 1981, Comparison of phylogenetic trees
SELECT c.sentence, CASE WHEN c.counts.n_leaves > 0 THEN c.counts END AS counts
FROM (SELECT g.sentence, split_counts(g.tree, t.tree, $leaves, $rooting) AS counts
      FROM packed_trees(tree_corpus := $gold_corpus) AS g
      JOIN packed_trees(tree_corpus := $system_corpus) AS t ON t.sentence = g.sentence) AS c
