-- robinson_foulds_distances: number of sets of leaves that only one of two trees has, for all pairs of trees of a
--   corpus, whose leaves have names; one row per pair.
-- kind: statistic
-- engine: kernel: sets of leaves have keys of 64 bits
-- parameters: as labelled_trees
-- parameters: as robinson_foulds (rooting)
-- column tree_a INTEGER: the sentence of one tree
-- column tree_b INTEGER: the sentence of a later tree
-- column differing_sets BIGINT: the distance of Robinson and Foulds; NULL if the trees have different leaves, or two
--   leaves with the same name
-- column differing_share DOUBLE: its share of both trees' sets, 0 if there are none
-- source: Robinson & Foulds 1981, Comparison of phylogenetic trees; Zobrist 1970, A new hashing method with application
--   for game playing (keys)
SELECT p.tree_a, p.tree_b, p.differing_sets,
       CASE WHEN p.all_sets = 0 THEN 0 ELSE CAST(p.differing_sets AS DOUBLE) / p.all_sets END AS differing_share
FROM (SELECT a.sentence AS tree_a, b.sentence AS tree_b,
             CASE WHEN a.leaf_key = b.leaf_key THEN a.sets + b.sets - 2 * coalesce(c.common_sets, 0) END AS differing_sets,
             CASE WHEN a.leaf_key = b.leaf_key THEN a.sets + b.sets END AS all_sets
      FROM keyed_trees AS a
      JOIN keyed_trees AS b ON b.sentence > a.sentence
      LEFT JOIN (SELECT m.sentence AS tree_a, n.sentence AS tree_b, count(*) AS common_sets
                 FROM tree_sets AS m
                 JOIN tree_sets AS n ON n.leaf_set = m.leaf_set AND n.sentence > m.sentence
                 GROUP BY m.sentence, n.sentence) AS c ON c.tree_a = a.sentence AND c.tree_b = b.sentence) AS p
ORDER BY p.tree_a, p.tree_b
