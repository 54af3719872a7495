-- spanning_trees: spanning tree of the links of a sentence with the least disparity; one row per pair.
-- kind: relation
-- engine: kernel: Levenshtein distances and a minimum spanning tree
-- parameters: as path_disparities
-- column sentence INTEGER: the sentence
-- column reference_first INTEGER: reference word of the first link
-- column reference_last INTEGER: reference word of the second
-- column hypothesis_first INTEGER: hypothesis word of the first link
-- column hypothesis_last INTEGER: hypothesis word of the second
-- column reference_words VARCHAR: the two words of the reference
-- column hypothesis_words VARCHAR: the two words of the hypothesis
-- column reference_path VARCHAR: the path from the first to the second: relations upwards; alpha if it leads to the
--   right, else beta; relations downwards
-- column hypothesis_path VARCHAR: the same in the hypothesis
-- column disparity BIGINT: edit operations between the two paths (L), 0 where the links share a word
-- column maximum BIGINT: maximum for paths of these lengths (Lmax), 0 where the links share a word
-- column sentence_maximum BIGINT: sum of maximum over the sentence
-- source: McCaffery 2017, PhD thesis, University of St Andrews, chapter 5
SELECT w.sentence, w.reference_first, w.reference_last, w.hypothesis_first, w.hypothesis_last,
       w.reference_forms[w.reference_first] || ' ... ' || w.reference_forms[w.reference_last] AS reference_words,
       w.hypothesis_forms[w.hypothesis_first] || ' ... ' || w.hypothesis_forms[w.hypothesis_last] AS hypothesis_words,
       '(' || array_to_string(w.reference_encoding.ascending, ' ') || ', ' || w.reference_encoding.direction || ', '
           || array_to_string(w.reference_encoding.descending, ' ') || ')' AS reference_path,
       '(' || array_to_string(w.hypothesis_encoding.ascending, ' ') || ', ' || w.hypothesis_encoding.direction || ', '
           || array_to_string(w.hypothesis_encoding.descending, ' ') || ')' AS hypothesis_path,
       w.disparity, w.maximum, w.sentence_maximum
FROM (SELECT e.sentence, e.reference_first, e.reference_last, e.hypothesis_first, e.hypothesis_last,
             e.reference_forms, e.hypothesis_forms,
             path_encoding(e.reference_heads, e.reference_relations, e.reference_first, e.reference_last)
                 AS reference_encoding,
             path_encoding(e.hypothesis_heads, e.hypothesis_relations, e.hypothesis_first, e.hypothesis_last)
                 AS hypothesis_encoding,
             e.disparity, e.maximum, e.sentence_maximum
      FROM (SELECT t.sentence, t.reference_forms, t.reference_heads, t.reference_relations, t.hypothesis_forms,
                   t.hypothesis_heads, t.hypothesis_relations, t.reference_links[t.edge.first] AS reference_first,
                   t.reference_links[t.edge.second] AS reference_last,
                   t.hypothesis_links[t.edge.first] AS hypothesis_first,
                   t.hypothesis_links[t.edge.second] AS hypothesis_last, CAST(t.edge.disparity AS BIGINT) AS disparity,
                   CAST(t.edge.maximum AS BIGINT) AS maximum, t.sentence_maximum
            FROM (SELECT p.sentence, p.reference_forms, p.reference_heads, p.reference_relations, p.hypothesis_forms,
                         p.hypothesis_heads, p.hypothesis_relations, p.reference_links, p.hypothesis_links,
                         unnest(p.edges) AS edge,
                         CAST(list_sum([x.maximum FOR x IN p.edges]) AS BIGINT) AS sentence_maximum
                  FROM (SELECT a.sentence, a.reference_forms, a.reference_heads, a.reference_relations,
                               a.hypothesis_forms, a.hypothesis_heads, a.hypothesis_relations, a.reference_links,
                               a.hypothesis_links,
                               spanning_tree(a.reference_heads, a.reference_relations, a.hypothesis_heads,
                                             a.hypothesis_relations, a.reference_links, a.hypothesis_links) AS edges
                        FROM aligned_trees AS a) AS p) AS t) AS e) AS w
