-- tree_distances: all distances of trees without labels, for all pairs of trees of a corpus, whose leaves have names; one row per pair.
-- kind: statistic
-- engine: kernel: compares whole trees
-- parameters: as labelled_trees
-- parameters: as robinson_foulds (rooting)
-- parameter leaves TEXT(order|name|common) = name: how leaves correspond: by position, with equal forms; by name; or by
--   name, ignoring names that only one tree has
-- column tree_a INTEGER: the sentence of one tree
-- column tree_b INTEGER: the sentence of a later tree
-- column n_leaves BIGINT: number of leaves compared, NULL if the trees cannot be compared
-- column differing_share DOUBLE: share of sets of leaves that only one tree has (RFD)
-- column conflict_share_a DOUBLE: share of the first tree's sets in conflict with the second (GRFD exchanged)
-- column conflict_share_b DOUBLE: share of the second tree's sets in conflict with the first (GRFD)
-- column unequal_share DOUBLE: share of quartets that are not the same in both (QD), NULL below four leaves
-- column different_share DOUBLE: share of the first tree's butterflies that the second contradicts (GQD)
-- source: Robinson & Foulds 1981, Comparison of phylogenetic trees; Estabrook, McMorris & Meacham 1985, Comparison of
--   undirected phylogenetic trees based on subtrees of four evolutionary units
SELECT d.tree_a, d.tree_b, d.s.n_leaves AS n_leaves,
       CASE WHEN d.s.gold + d.s.test = 0 THEN 0
            ELSE CAST(d.s.gold + d.s.test - 2 * d.s.common AS DOUBLE) / (d.s.gold + d.s.test) END AS differing_share,
       CASE WHEN d.s.gold = 0 THEN 0 ELSE CAST(d.s.gold_incompatible AS DOUBLE) / d.s.gold END AS conflict_share_a,
       CASE WHEN d.s.test = 0 THEN 0 ELSE CAST(d.s.test_incompatible AS DOUBLE) / d.s.test END AS conflict_share_b,
       1 - CAST(d.q.same + d.q.both_star AS DOUBLE) / d.q.quartets AS unequal_share,
       CASE WHEN d.q.gold_butterflies = 0 THEN 0
            ELSE CAST(d.q.different AS DOUBLE) / d.q.gold_butterflies END AS different_share
FROM (SELECT a.sentence AS tree_a, b.sentence AS tree_b, split_counts(a.tree, b.tree, $leaves, $rooting) AS s,
             quartet_counts(a.tree, b.tree, $leaves) AS q
      FROM packed_trees AS a
      JOIN packed_trees AS b ON b.sentence > a.sentence) AS d
ORDER BY d.tree_a, d.tree_b
