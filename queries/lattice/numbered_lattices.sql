-- numbered_lattices: the lattices of two corpora with numbers of their edges, which are equal where edges are; one row per
--   lattice.
-- kind: relation
-- engine: duckdb: kernels take lists
-- parameters: as lattice_differences
-- column corpus VARCHAR: its corpus
-- column sentence INTEGER: its number there
-- column n_nodes INTEGER: number of its nodes
-- column final_scores DOUBLE[]: scores of its final node, costs negated; empty if all are 0
-- column edges STRUCT(edge INTEGER, from_node INTEGER, to_node INTEGER, words VARCHAR[], phrase INTEGER, scored INTEGER)[]: its
--   edges, with a number of their words, and one of their words and scores, costs negated
-- source: Bernreuther 2005, Lattice evaluation techniques, definition 3.1
SELECT l.corpus, l.sentence, l.n_nodes,
       CASE WHEN coalesce(len(list_filter(l.final_scores, lambda one: one <> 0)), 0) = 0 THEN CAST([] AS DOUBLE[])
            WHEN c.score_sense = 'cost' THEN list_transform(l.final_scores, lambda one: -one)
            ELSE l.final_scores END AS final_scores,
       coalesce(n.edges, []) AS edges
FROM lattices AS l
JOIN corpora AS c ON c.corpus = l.corpus
LEFT JOIN (SELECT k.corpus, k.sentence,
                  list({'edge': k.edge, 'from_node': k.from_node, 'to_node': k.to_node, 'words': k.edge_words,
                        'phrase': k.phrase, 'scored': k.scored} ORDER BY k.edge) AS edges
           FROM (SELECT e.corpus, e.sentence, e.edge, e.from_node, e.to_node, e.edge_words,
                        CAST(dense_rank() OVER (ORDER BY e.edge_words) AS INTEGER) AS phrase,
                        CAST(dense_rank() OVER (ORDER BY e.edge_words, e.scores) AS INTEGER) AS scored
                 FROM (SELECT g.corpus, g.sentence, g.edge, g.from_node, g.to_node, g.edge_words,
                              CASE WHEN o.score_sense = 'cost' THEN list_transform(g.scores, lambda one: -one)
                                   ELSE g.scores END AS scores
                       FROM lattice_edges AS g
                       JOIN corpora AS o ON o.corpus = g.corpus
                       WHERE g.corpus IN ($lattice_corpus, $other_lattice_corpus)) AS e) AS k
           GROUP BY k.corpus, k.sentence) AS n ON n.corpus = l.corpus AND n.sentence = l.sentence
WHERE l.corpus IN ($lattice_corpus, $other_lattice_corpus)
