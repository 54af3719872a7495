-- edge_features: properties of an edge that need no reference, for deciding whether to prune it; one row per edge.
-- kind: relation
-- engine: duckdb: edges have lists of words and of scores
-- parameters: as tau_span (lattice_corpus)
-- column sentence INTEGER: its lattice
-- column edge INTEGER: the edge, numbered from 0
-- column phrase_length INTEGER: number of its words
-- column node_distance INTEGER: difference between the numbers of its two nodes
-- column n_nodes INTEGER: nodes of the lattice
-- column edges_per_node DOUBLE: edges of the lattice per node
-- column place DOUBLE: position of its first node, from 0 for the first node of the lattice to 1 for the last
-- column competing_edges BIGINT: other edges between the same nodes
-- column leaving_edges BIGINT: other edges that leave the same node
-- column entering_edges BIGINT: other edges that lead to the same node
-- column same_phrases BIGINT: other edges of the lattice with the same words
-- column lattice_count_mean DOUBLE: mean number of occurrences of its words on edges of the lattice (N_L); 0 for an
--   empty phrase
-- column lattice_count_least BIGINT: number of occurrences of its rarest word
-- column lattice_count_most BIGINT: number of occurrences of its most frequent word
-- column relative_count DOUBLE: the mean divided by the edges per node, which corrects for dense lattices
-- column places_mean DOUBLE: mean number of nodes that edges with its words leave; 0 for an empty phrase
-- column scores DOUBLE[]: its scores in the order of the file
-- column score_distances DOUBLE[]: difference between the greatest such score of edges between the same nodes and each
--   score
-- column score_agreements DOUBLE[]: for each score, how strongly its words go with high scores: the mean over its words
--   of the mean of exp(-distance) over edges with the word; none for an empty phrase
-- source: Bernreuther 2005, Lattice evaluation techniques, section 4.1.2 (which leaves the features of edges open)
SELECT e.sentence, e.edge, e.phrase_length, e.node_distance, e.n_nodes, e.edges_per_node, e.place, e.competing_edges,
       e.leaving_edges, e.entering_edges, e.same_phrases, coalesce(c.mean_count, 0) AS lattice_count_mean,
       coalesce(c.least_count, 0) AS lattice_count_least, coalesce(c.most_count, 0) AS lattice_count_most,
       coalesce(c.mean_count, 0) / e.edges_per_node AS relative_count,
       coalesce(c.mean_places, 0) AS places_mean, e.scores,
       coalesce(d.distances, CAST([] AS DOUBLE[])) AS score_distances,
       coalesce(a.agreements, CAST([] AS DOUBLE[])) AS score_agreements
FROM (SELECT x.sentence, x.edge, CAST(len(x.edge_words) AS INTEGER) AS phrase_length,
             x.to_node - x.from_node AS node_distance, l.n_nodes,
             CAST(l.n_edges AS DOUBLE) / l.n_nodes AS edges_per_node,
             CAST(x.from_node AS DOUBLE) / (l.n_nodes - 1) AS place,
             count(*) OVER (PARTITION BY x.sentence, x.from_node, x.to_node) - 1 AS competing_edges,
             count(*) OVER (PARTITION BY x.sentence, x.from_node) - 1 AS leaving_edges,
             count(*) OVER (PARTITION BY x.sentence, x.to_node) - 1 AS entering_edges,
             count(*) OVER (PARTITION BY x.sentence, x.edge_words) - 1 AS same_phrases, x.scores
      FROM lattice_edges AS x
      JOIN lattices AS l ON l.sentence = x.sentence
      WHERE x.corpus = $lattice_corpus AND l.corpus = $lattice_corpus) AS e
LEFT JOIN (SELECT w.sentence, w.edge, CAST(sum(n.lattice_count) AS DOUBLE) / count(*) AS mean_count,
                  min(n.lattice_count) AS least_count, max(n.lattice_count) AS most_count,
                  CAST(sum(n.places) AS DOUBLE) / count(*) AS mean_places
           FROM lattice_words AS w
           JOIN (SELECT t.sentence, t.form, count(*) AS lattice_count, count(DISTINCT v.from_node) AS places
                 FROM lattice_words AS t
                 JOIN lattice_edges AS v ON v.sentence = t.sentence AND v.edge = t.edge
                 WHERE t.corpus = $lattice_corpus AND v.corpus = $lattice_corpus
                 GROUP BY t.sentence, t.form) AS n ON n.sentence = w.sentence AND n.form = w.form
           WHERE w.corpus = $lattice_corpus
           GROUP BY w.sentence, w.edge) AS c ON c.sentence = e.sentence AND c.edge = e.edge
LEFT JOIN (SELECT s.sentence, s.edge, list(s.score_distance ORDER BY s.score_number) AS distances
           FROM edge_scores AS s
           GROUP BY s.sentence, s.edge) AS d ON d.sentence = e.sentence AND d.edge = e.edge
LEFT JOIN (SELECT m.sentence, m.edge, list(m.agreement ORDER BY m.score_number) AS agreements
           FROM (SELECT w.sentence, w.edge, f.score_number,
                        CAST(sum(CAST(round(f.nearness * 1099511627776.0) AS BIGINT)) AS DOUBLE)
                          / 1099511627776.0 / count(*) AS agreement
                 FROM lattice_words AS w
                 JOIN (SELECT t.sentence, t.form, s.score_number,
                              CAST(sum(CAST(round(exp(-s.score_distance) * 1099511627776.0) AS BIGINT)) AS DOUBLE)
                                  / 1099511627776.0 / count(*) AS nearness
                       FROM lattice_words AS t
                       JOIN edge_scores AS s ON s.sentence = t.sentence AND s.edge = t.edge
                       WHERE t.corpus = $lattice_corpus
                       GROUP BY t.sentence, t.form, s.score_number) AS f ON f.sentence = w.sentence AND f.form = w.form
                 WHERE w.corpus = $lattice_corpus
                 GROUP BY w.sentence, w.edge, f.score_number) AS m
           GROUP BY m.sentence, m.edge) AS a ON a.sentence = e.sentence AND a.edge = e.edge
