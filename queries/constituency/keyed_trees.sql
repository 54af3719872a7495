-- keyed_trees: the clusters or splits of trees as keys, equal for equal sets of leaf names; one row per sentence.
-- kind: relation
-- engine: kernel: sets of leaves have keys of 64 bits
-- parameters: as labelled_trees
-- parameters: as robinson_foulds (rooting)
-- column sentence INTEGER: the sentence
-- column leaf_key UBIGINT: key of all leaves; NULL, as all following columns, where two leaves have the same name
-- column sets BIGINT: number of keys
-- column keys UBIGINT[]: the keys
-- source: Zobrist 1970, A new hashing method with application for game playing
SELECT t.sentence, t.found.leaf_key AS leaf_key, len(t.found.keys) AS sets, t.found.keys AS keys
FROM (SELECT p.sentence, split_keys(p.tree, $rooting) AS found FROM packed_trees AS p) AS t
