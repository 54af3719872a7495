-- generalised_robinson_foulds: sets of leaves of one tree that contradict the other tree, ignoring labels; one row per
--   sentence.
-- kind: metric
-- engine: kernel: compares whole trees
-- parameters: as robinson_foulds
-- audit missing_trees
-- column sentence INTEGER: the gold corpus's sentence
-- column n_leaves BIGINT: number of leaves compared
-- column comparable BIGINT: 1 if the trees have the same leaves
-- column gold_sets BIGINT: clusters or splits of the gold tree
-- column test_sets BIGINT: those of the system's tree
-- column gold_conflicts BIGINT: gold ones in conflict with some of the system's: clusters that overlap without nesting,
--   splits of which all four intersections have leaves
-- column test_conflicts BIGINT: the system's in conflict with some gold one
-- column gold_conflict_share DOUBLE: their share of the gold tree's, 0 if it has none
-- column test_conflict_share DOUBLE: their share of the system's, 0 if it has none
-- score grfd number lower = sum(test_conflict_share) / nullif(sum(comparable), 0): mean share of the system's sets in conflict with the gold tree
-- score grfd_micro number lower = CASE WHEN sum(comparable) > 0 THEN coalesce(sum(test_conflicts) / nullif(sum(test_sets), 0), 0) END: share of all of the system's sets in conflict with the gold tree
-- score grfd_exchanged number lower = sum(gold_conflict_share) / nullif(sum(comparable), 0): mean share of the gold sets in conflict with the system's tree
-- source: Pompei, Loreto & Tria 2011, On the accuracy of language trees; Rama 2014, Empirical evaluation of tree
--   distances for parser evaluation
SELECT c.sentence, c.n_leaves, CAST(CASE WHEN c.gold_sets IS NULL THEN 0 ELSE 1 END AS BIGINT) AS comparable, c.gold_sets, c.test_sets,
       c.gold_conflicts, c.test_conflicts,
       CASE WHEN c.gold_sets = 0 THEN 0 ELSE CAST(c.gold_conflicts AS DOUBLE) / c.gold_sets END AS gold_conflict_share,
       CASE WHEN c.test_sets = 0 THEN 0 ELSE CAST(c.test_conflicts AS DOUBLE) / c.test_sets END AS test_conflict_share
FROM (SELECT s.sentence, s.counts.n_leaves AS n_leaves, s.counts.gold AS gold_sets, s.counts.test AS test_sets,
             s.counts.gold_incompatible AS gold_conflicts, s.counts.test_incompatible AS test_conflicts
      FROM compared_splits AS s) AS c
