-- tree_sets: the keys of the clusters or splits of trees; one row per sentence and key.
-- kind: relation
-- engine: kernel: sets of leaves have keys of 64 bits
-- parameters: as labelled_trees
-- parameters: as robinson_foulds (rooting)
-- column sentence INTEGER: the sentence
-- column leaf_set UBIGINT: key of one of its sets of leaves
-- source: Zobrist 1970, A new hashing method with application for game playing
SELECT k.sentence, unnest(k.keys) AS leaf_set
FROM keyed_trees AS k
