-- label_gaps: how often phrases of each label have gaps; one row per treebank and label.
-- kind: statistic
-- parameters: as treebank_forms (corpus_name)
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column label VARCHAR: label of the phrases, without functions
-- column phrases BIGINT: number of phrases with this label
-- column phrases_with_gaps BIGINT: number of those that have a gap
-- column share DOUBLE: their part
-- column gap_degree BIGINT: the largest number of gaps in one of them
-- source: Maier & Lichte 2011, Characterizing discontinuity in constituent treebanks
SELECT c.treebank, c.label, CAST(count(*) AS BIGINT) AS phrases,
       CAST(sum(CASE WHEN c.gaps > 0 THEN 1 ELSE 0 END) AS BIGINT) AS phrases_with_gaps,
       CAST(sum(CASE WHEN c.gaps > 0 THEN 1 ELSE 0 END) AS DOUBLE) / count(*) AS share,
       CAST(max(c.gaps) AS BIGINT) AS gap_degree
FROM (SELECT coalesce(k.treebank, k.corpus) AS treebank, p.label, coalesce(b.gaps, 0) AS gaps
      FROM constituents AS p
      JOIN corpora AS k ON k.corpus = p.corpus
      LEFT JOIN (SELECT g.corpus, g.sentence, g.node, max(g.block) - 1 AS gaps
                 FROM phrase_blocks AS g
                 GROUP BY g.corpus, g.sentence, g.node) AS b
        ON b.corpus = p.corpus AND b.sentence = p.sentence AND b.node = p.node
      WHERE $corpus_name = '' OR p.corpus = $corpus_name) AS c
GROUP BY c.treebank, c.label
ORDER BY c.treebank, phrases_with_gaps DESC, phrases DESC, c.label
