-- edge_posteriors: posteriors of edges, the share that paths with the edge have of the sum over all paths; one row per edge.
-- kind: statistic
-- engine: kernel: path_posteriors sums over paths
-- parameters: as weighted_edges (lattice_corpus, edge_weights)
-- parameter scale DOUBLE(0..) = 1: factor of the scores: smaller ones make posteriors more equal, 0 weighs all paths alike
-- audit edge_score_faults
-- column sentence INTEGER: its lattice
-- column edge INTEGER: the edge, numbered from 0
-- column edge_score DOUBLE: the weighted sum of its scores, without the scale
-- column posterior DOUBLE: its posterior, from 0 to 1; 0 if it is on no complete path
-- source: Wessel et al. 2001, Confidence measures for large vocabulary continuous speech recognition
SELECT q.sentence, q.edge, q.edge_score, q.posterior
FROM (SELECT p.sentence, unnest(p.edge_numbers) AS edge, unnest(p.edge_scores) AS edge_score,
             unnest(path_posteriors(p.n_nodes, p.edges)) AS posterior
      FROM (SELECT l.sentence, l.n_nodes, list(w.edge ORDER BY w.edge) AS edge_numbers,
                   list(w.edge_score ORDER BY w.edge) AS edge_scores,
                   list({'edge': w.edge, 'from_node': w.from_node, 'to_node': w.to_node, 'words': w.edge_words,
                         'score': $scale * w.edge_score} ORDER BY w.edge) AS edges
            FROM lattices AS l
            JOIN weighted_edges AS w ON w.sentence = l.sentence
            WHERE l.corpus = $lattice_corpus
            GROUP BY l.sentence, l.n_nodes) AS p) AS q
ORDER BY q.sentence, q.edge
