-- quartets: how two trees group every four of their leaves, ignoring labels and root; one row per sentence.
-- kind: metric
-- engine: kernel: compares whole trees
-- parameters: as robinson_foulds (gold_corpus, system_corpus, punctuation, rules, leaves)
-- audit missing_trees
-- column sentence INTEGER: the gold corpus's sentence
-- column comparable BIGINT: 1 if the trees have the same leaves, four or more
-- count without_quartets BIGINT: 1 if the gold tree has fewer than four leaves, so that the sentence counts for no
--   quartet score
-- column quartets_of_leaves BIGINT: number of sets of four leaves
-- column gold_butterflies BIGINT: those that the gold tree splits two and two
-- column test_butterflies BIGINT: those that the system's tree splits two and two
-- column same_butterflies BIGINT: those that both split in the same way
-- column different_butterflies BIGINT: those that both split in different ways
-- column unequal_quartets BIGINT: those that are not the same in both: neither split in the same way nor unsplit in
--   both
-- column unequal_share DOUBLE: their share of all
-- column different_share DOUBLE: the share of different_butterflies among the gold tree's, 0 if it has none
-- score qd number lower = sum(unequal_share) / nullif(sum(comparable), 0): mean share of unequal quartets
-- score qd_micro number lower = sum(unequal_quartets) / nullif(sum(quartets_of_leaves), 0): share of unequal quartets among all
-- score gqd number lower = sum(different_share) / nullif(sum(comparable), 0): mean share of gold butterflies that the system's tree contradicts
-- score gqd_micro number lower = CASE WHEN sum(comparable) > 0 THEN coalesce(sum(different_butterflies) / nullif(sum(gold_butterflies), 0), 0) END: share of all gold butterflies that the system's tree contradicts
-- source: Estabrook, McMorris & Meacham 1985, Comparison of undirected phylogenetic trees based on subtrees of four
--   evolutionary units; Pompei, Loreto & Tria 2011, On the accuracy of language trees (gqd); Rama 2014, Empirical
--   evaluation of tree distances for parser evaluation
SELECT q.sentence, CAST(CASE WHEN q.counts IS NULL THEN 0 ELSE 1 END AS BIGINT) AS comparable,
       CAST(CASE WHEN q.n_leaves < 4 THEN 1 ELSE 0 END AS BIGINT) AS without_quartets, q.counts.quartets AS quartets_of_leaves,
       q.counts.gold_butterflies AS gold_butterflies, q.counts.test_butterflies AS test_butterflies,
       q.counts.same AS same_butterflies, q.counts.different AS different_butterflies,
       q.counts.quartets - q.counts.same - q.counts.both_star AS unequal_quartets,
       CAST(q.counts.quartets - q.counts.same - q.counts.both_star AS DOUBLE) / q.counts.quartets AS unequal_share,
       CASE WHEN q.counts.gold_butterflies = 0 THEN 0
            ELSE CAST(q.counts.different AS DOUBLE) / q.counts.gold_butterflies END AS different_share
FROM (SELECT g.sentence, coalesce(array_length(list_filter(g.tree.kinds, lambda x: x = 0)), 0) AS n_leaves,
             quartet_counts(g.tree, t.tree, $leaves) AS counts
      FROM packed_trees(tree_corpus := $gold_corpus) AS g
      JOIN packed_trees(tree_corpus := $system_corpus) AS t ON t.sentence = g.sentence) AS q
