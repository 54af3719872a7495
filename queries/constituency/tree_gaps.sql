-- tree_gaps: how discontinuous the trees of a corpus are, by which scores are grouped; one row per sentence with words.
-- kind: attributes
-- parameters: as labelled_trees
-- column sentence INTEGER: the sentence
-- column gap_degree BIGINT: the largest number of gaps in a phrase, 0 for a continuous tree
-- column well_nested BOOLEAN: whether no two phrases without a word in common interleave
-- source: Maier & Lichte 2011, Characterizing discontinuity in constituent treebanks
SELECT g.sentence, g.gap_degree, g.well_nested
FROM sentence_gaps(corpus_name := $tree_corpus) AS g
