-- edge_scores: differences between the scores of edges and the greatest score between the same nodes; one row per edge
--   and score.
-- kind: relation
-- engine: duckdb: edges have lists of scores
-- parameters: as tau_span (lattice_corpus)
-- column sentence INTEGER: its lattice
-- column edge INTEGER: the edge, numbered from 0
-- column score_number BIGINT: which of its scores, in the order of the file, from 1
-- column given_score DOUBLE: the score
-- column score_distance DOUBLE: the greatest such score of edges between the same nodes, minus it
-- source: Bernreuther 2005, Lattice evaluation techniques, section 4.1.2 (which leaves the features of edges open)
SELECT s.sentence, s.edge, s.score_number, s.given_score,
       max(s.given_score) OVER (PARTITION BY s.sentence, s.from_node, s.to_node, s.score_number) - s.given_score
           AS score_distance
FROM (SELECT e.sentence, e.edge, e.from_node, e.to_node, unnest(e.scores) AS given_score,
             generate_subscripts(e.scores, 1) AS score_number
      FROM lattice_edges AS e
      WHERE e.corpus = $lattice_corpus) AS s
