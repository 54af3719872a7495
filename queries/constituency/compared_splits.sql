-- compared_splits: counts of the clusters or splits of two trees; one row per pair of trees.
-- kind: relation
-- engine: kernel: compares whole trees
-- parameters: as robinson_foulds
-- column sentence INTEGER: the sentence
-- column counts STRUCT(n_leaves BIGINT, gold BIGINT, test BIGINT, common BIGINT, gold_incompatible BIGINT,
--   test_incompatible BIGINT): how many of them each tree has, both share, and conflict with the other tree; NULL if
--   leaves differ, or none remains
-- source: Robinson & Foulds 1981, Comparison of phylogenetic trees
SELECT c.sentence, CASE WHEN c.counts.n_leaves > 0 THEN c.counts END AS counts
FROM (SELECT g.sentence, split_counts(g.tree, t.tree, $leaves, $rooting) AS counts
      FROM packed_trees(tree_corpus := $gold_corpus) AS g
      JOIN packed_trees(tree_corpus := $system_corpus) AS t ON t.sentence = g.sentence) AS c
