-- gap_degrees: how many trees of a treebank are discontinuous, and how; one row per treebank and gap degree.
-- kind: statistic
-- parameters: as treebank_forms (corpus_name)
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column gap_degree BIGINT: the largest number of gaps in a phrase of a tree, or in the words below
--   a word, 0 for continuous trees
-- column sentences BIGINT: number of sentences whose trees have this degree
-- column share DOUBLE: their part of the sentences of the treebank
-- column well_nested_sentences BIGINT: number of those that are well-nested: no two phrases, or words with those
--   below them, without a word in common interleave
-- column well_nested_share DOUBLE: their part of the sentences with this degree
-- source: Maier & Lichte 2011, Characterizing discontinuity in constituent treebanks; Kuhlmann & Nivre 2006, Mildly
--   non-projective dependency structures
SELECT d.treebank, d.gap_degree, d.sentences,
       CAST(d.sentences AS DOUBLE) / sum(d.sentences) OVER (PARTITION BY d.treebank) AS share, d.well_nested_sentences,
       CAST(d.well_nested_sentences AS DOUBLE) / d.sentences AS well_nested_share
FROM (SELECT coalesce(k.treebank, k.corpus) AS treebank, g.gap_degree, CAST(count(*) AS BIGINT) AS sentences,
             CAST(sum(CASE WHEN g.well_nested THEN 1 ELSE 0 END) AS BIGINT) AS well_nested_sentences
      FROM sentence_gaps AS g
      JOIN corpora AS k ON k.corpus = g.corpus AND (k.kind = 'constituency' OR k.kind = 'dependency')
      GROUP BY coalesce(k.treebank, k.corpus), g.gap_degree) AS d
ORDER BY d.treebank, d.gap_degree
