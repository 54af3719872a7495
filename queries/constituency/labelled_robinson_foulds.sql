-- labelled_robinson_foulds: sets of leaves that only one of two trees has, or that have another label in the other; one row per
--   sentence.
-- kind: metric
-- engine: kernel: compares whole trees
-- parameters: as robinson_foulds (gold_corpus, system_corpus, punctuation, rules, leaves)
-- audit missing_trees
-- column sentence INTEGER: the gold corpus's sentence
-- column n_leaves BIGINT: number of leaves compared
-- column comparable BIGINT: 1 if the trees have the same leaves
-- column gold_sets BIGINT: clusters of the gold tree: the sets of 2 to n-1 leaves below its phrases
-- column test_sets BIGINT: those of the system's tree
-- column common_sets BIGINT: those of both
-- column relabelled_sets BIGINT: those of both whose labels differ; the label of a set is that of its phrase, or the sequence of
--   labels of a unary chain
-- column labelled_differences BIGINT: clusters of one tree alone, and relabelled_sets
-- column labelled_difference_share DOUBLE: their share of both trees' clusters, 0 if there are none
-- score lrf number lower = sum(labelled_differences) / nullif(sum(comparable), 0): mean number of clusters of one tree alone and of
--   clusters with different labels
-- score lrfd number lower = sum(labelled_difference_share) / nullif(sum(comparable), 0): mean share of differing clusters or
--   labels among both trees' clusters
-- score lrfd_micro number lower = CASE WHEN sum(comparable) > 0 THEN coalesce(sum(labelled_differences) /
--   nullif(sum(gold_sets) + sum(test_sets), 0), 0) END: share of differing clusters or labels among all clusters
-- source: Robinson & Foulds 1981, Comparison of phylogenetic trees; Rama 2014, Empirical evaluation of tree distances
--   for parser evaluation
SELECT c.sentence, c.n_leaves, CAST(CASE WHEN c.gold_sets IS NULL THEN 0 ELSE 1 END AS BIGINT) AS comparable, c.gold_sets, c.test_sets,
       c.common_sets, c.relabelled_sets,
       c.gold_sets + c.test_sets - 2 * c.common_sets + c.relabelled_sets AS labelled_differences,
       CASE WHEN c.gold_sets + c.test_sets = 0 THEN 0
            ELSE CAST(c.gold_sets + c.test_sets - 2 * c.common_sets + c.relabelled_sets AS DOUBLE)
                 / (c.gold_sets + c.test_sets) END AS labelled_difference_share
FROM (SELECT s.sentence, s.counts.n_leaves AS n_leaves, CASE WHEN s.counts.n_leaves > 0 THEN s.counts.gold END AS gold_sets,
             s.counts.test AS test_sets, s.counts.common AS common_sets, s.counts.relabelled AS relabelled_sets
      FROM (SELECT g.sentence, labelled_cluster_counts(g.tree, t.tree, x.label_keys, y.label_keys, $leaves) AS counts
            FROM packed_trees(tree_corpus := $gold_corpus) AS g
            JOIN packed_trees(tree_corpus := $system_corpus) AS t ON t.sentence = g.sentence
            JOIN phrase_labels(tree_corpus := $gold_corpus) AS x ON x.sentence = g.sentence
            JOIN phrase_labels(tree_corpus := $system_corpus) AS y ON y.sentence = g.sentence) AS s) AS c
