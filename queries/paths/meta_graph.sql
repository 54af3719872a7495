-- meta_graph: the graph that a spanning tree is chosen from, with the difference of paths as the weight of an edge; one
--   row per pair of links of a sentence.
-- kind: statistic
-- engine: kernel: Levenshtein distances and a minimum spanning tree
-- parameters: as path_disparities
-- audit path_correspondence
-- column sentence INTEGER: the sentence
-- column sent_id VARCHAR: its sent_id in the reference
-- column reference_first INTEGER: reference word of the first link
-- column reference_last INTEGER: reference word of the second
-- column hypothesis_first INTEGER: hypothesis word of the first link
-- column hypothesis_last INTEGER: hypothesis word of the second
-- column reference_words VARCHAR: the two words of the reference
-- column hypothesis_words VARCHAR: the two words of the hypothesis
-- column disparity BIGINT: edit operations between the two paths (L), the weight; 0 where the links share a word
-- column maximum BIGINT: maximum for paths of these lengths (Lmax), which decides between trees of equal weight
-- column chosen BOOLEAN: whether the pair is on the spanning tree, which path_disparities scores
-- source: McCaffery 2017, PhD thesis, University of St Andrews, section 5.4.1, figure 5.2
SELECT w.sentence, w.sent_id, w.reference_first, w.reference_last, w.hypothesis_first, w.hypothesis_last,
       w.reference_forms[w.reference_first] || ' ... ' || w.reference_forms[w.reference_last] AS reference_words,
       w.hypothesis_forms[w.hypothesis_first] || ' ... ' || w.hypothesis_forms[w.hypothesis_last] AS hypothesis_words,
       CAST(w.difference.disparity AS BIGINT) AS disparity, CAST(w.difference.maximum AS BIGINT) AS maximum, w.chosen
FROM (SELECT p.sentence, p.sent_id, p.reference_forms, p.hypothesis_forms, p.reference_links[p.one] AS reference_first,
             p.reference_links[p.other] AS reference_last, p.hypothesis_links[p.one] AS hypothesis_first,
             p.hypothesis_links[p.other] AS hypothesis_last, p.one, p.other,
             path_disparity(path_encoding(p.reference_heads, p.reference_relations, p.reference_links[p.one],
                                          p.reference_links[p.other]),
                            path_encoding(p.hypothesis_heads, p.hypothesis_relations, p.hypothesis_links[p.one],
                                          p.hypothesis_links[p.other])) AS difference,
             len([x FOR x IN p.edges IF (x.first = p.one AND x.second = p.other)
                                     OR (x.first = p.other AND x.second = p.one)]) > 0 AS chosen
      FROM (SELECT n.sentence, n.sent_id, n.reference_forms, n.reference_heads, n.reference_relations,
                   n.hypothesis_forms, n.hypothesis_heads, n.hypothesis_relations, n.reference_links,
                   n.hypothesis_links, n.edges, n.one, unnest(range(n.one + 1, len(n.reference_links) + 1)) AS other
            FROM (SELECT a.sentence, s.sent_id, a.reference_forms, a.reference_heads, a.reference_relations,
                         a.hypothesis_forms, a.hypothesis_heads, a.hypothesis_relations, a.reference_links,
                         a.hypothesis_links,
                         spanning_tree(a.reference_heads, a.reference_relations, a.hypothesis_heads,
                                       a.hypothesis_relations, a.reference_links, a.hypothesis_links) AS edges,
                         unnest(range(1, len(a.reference_links) + 1)) AS one
                  FROM aligned_trees AS a
                  JOIN sentences AS s ON s.sentence = a.sentence
                  WHERE s.corpus = $reference_corpus) AS n) AS p) AS w
ORDER BY w.sentence, w.one, w.other
