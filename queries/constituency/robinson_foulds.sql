-- robinson_foulds: sets of leaves that only one of two trees has, ignoring labels; one row per sentence.
-- kind: metric
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
-- audit missing_trees
-- column sentence INTEGER: the gold corpus's sentence
-- column n_leaves BIGINT: number of leaves compared
-- count sentences BIGINT: 1
-- count unlike_leaves BIGINT: 1 if the trees have different leaves, or none, and cannot be compared
-- column comparable BIGINT: 1 if they can be compared
-- column gold_sets BIGINT: clusters (2 to n-1 leaves) or splits (at least 2 leaves on both sides) of the gold tree
-- column test_sets BIGINT: those of the system's tree
-- column common_sets BIGINT: those of both
-- column differing_sets BIGINT: those of only one, the distance of Robinson and Foulds
-- column differing_share DOUBLE: their share of both trees' sets, 0 if there are none
-- score rfd number lower = sum(differing_share) / nullif(sum(comparable), 0): mean share of differing sets
-- score rfd_micro number lower = CASE WHEN sum(comparable) > 0 THEN coalesce(sum(differing_sets) / nullif(sum(gold_sets) + sum(test_sets), 0), 0) END: share of differing sets among all
-- source: Robinson & Foulds 1981, Comparison of phylogenetic trees; Rama 2014, Empirical evaluation of tree distances
--   for parser evaluation
SELECT c.sentence, c.n_leaves, CAST(1 AS BIGINT) AS sentences, CAST(CASE WHEN c.gold_sets IS NULL THEN 1 ELSE 0 END AS BIGINT) AS unlike_leaves,
       CAST(CASE WHEN c.gold_sets IS NULL THEN 0 ELSE 1 END AS BIGINT) AS comparable, c.gold_sets, c.test_sets, c.common_sets,
       c.gold_sets + c.test_sets - 2 * c.common_sets AS differing_sets,
       CASE WHEN c.gold_sets + c.test_sets = 0 THEN 0
            ELSE CAST(c.gold_sets + c.test_sets - 2 * c.common_sets AS DOUBLE) / (c.gold_sets + c.test_sets) END
           AS differing_share
FROM (SELECT s.sentence, s.counts.n_leaves AS n_leaves, s.counts.gold AS gold_sets, s.counts.test AS test_sets,
             s.counts.common AS common_sets
      FROM compared_splits AS s) AS c
