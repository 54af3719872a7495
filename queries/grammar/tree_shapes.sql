-- tree_shapes: shares of the dependency trees that are projective, planar (without crossing edges) or well-nested; one row
--   per treebank.
-- kind: statistic
-- parameters: as treebank_forms (corpus_name)
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column sentences BIGINT: number of sentences with a tree without a cycle
-- column projective_share DOUBLE: share whose edges are projective
-- column planar_share DOUBLE: share without edges that cross, those from the root left out
-- column well_nested_share DOUBLE: share without two words of which neither dominates the other and whose words below them
--   interleave
-- column edge_degree_0_share DOUBLE: share whose edges are not interrupted, the projective ones
-- column edge_degree_1_share DOUBLE: share whose edges are interrupted by one part of the tree at most
-- column edge_degree_2_share DOUBLE: share with an edge that two parts interrupt, and none that more do
-- column higher_edge_degree_share DOUBLE: share with an edge that more interrupt
-- source: Kuhlmann & Nivre 2006, Mildly non-projective dependency structures
SELECT r.treebank, CAST(count(*) AS BIGINT) AS sentences,
       CAST(sum(CASE WHEN r.projective THEN 1 ELSE 0 END) AS DOUBLE) / count(*) AS projective_share,
       CAST(sum(CASE WHEN r.crossings = 0 THEN 1 ELSE 0 END) AS DOUBLE) / count(*) AS planar_share,
       CAST(sum(CASE WHEN r.well_nested THEN 1 ELSE 0 END) AS DOUBLE) / count(*) AS well_nested_share,
       CAST(sum(CASE WHEN r.degree = 0 THEN 1 ELSE 0 END) AS DOUBLE) / count(*) AS edge_degree_0_share,
       CAST(sum(CASE WHEN r.degree = 1 THEN 1 ELSE 0 END) AS DOUBLE) / count(*) AS edge_degree_1_share,
       CAST(sum(CASE WHEN r.degree = 2 THEN 1 ELSE 0 END) AS DOUBLE) / count(*) AS edge_degree_2_share,
       CAST(sum(CASE WHEN r.degree > 2 THEN 1 ELSE 0 END) AS DOUBLE) / count(*) AS higher_edge_degree_share
FROM (SELECT coalesce(k.treebank, k.corpus) AS treebank, t.projective, coalesce(c.crossings, 0) AS crossings,
             g.well_nested, coalesce(e.degree, 0) AS degree
      FROM trees AS t
      JOIN corpora AS k ON k.corpus = t.corpus AND k.kind = 'dependency'
      JOIN sentence_gaps AS g ON g.corpus = t.corpus AND g.sentence = t.sentence
      LEFT JOIN (SELECT d.corpus, d.sentence, max(d.degree) AS degree
                 FROM edge_degrees AS d
                 GROUP BY d.corpus, d.sentence) AS e ON e.corpus = t.corpus AND e.sentence = t.sentence
      LEFT JOIN (SELECT a.corpus, a.sentence, count(*) AS crossings
                 FROM words AS a
                 JOIN trees AS n ON n.corpus = a.corpus AND n.sentence = a.sentence AND NOT n.projective
                 JOIN words AS b
                   ON b.corpus = a.corpus AND b.sentence = a.sentence AND b.head > 0
                  AND least(b.word, b.head) > least(a.word, a.head)
                  AND least(b.word, b.head) < greatest(a.word, a.head)
                  AND greatest(b.word, b.head) > greatest(a.word, a.head)
                 WHERE a.head > 0 AND ($corpus_name = '' OR a.corpus = $corpus_name)
                 GROUP BY a.corpus, a.sentence) AS c ON c.corpus = t.corpus AND c.sentence = t.sentence
      WHERE t.projective IS NOT NULL AND ($corpus_name = '' OR t.corpus = $corpus_name)) AS r
GROUP BY r.treebank
ORDER BY r.treebank
