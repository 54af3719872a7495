-- weighted_edges: the edges of lattices with the weighted sum of their scores; one row per edge.
-- kind: relation
-- engine: duckdb: edges have lists of scores
-- parameters: as tau_span (lattice_corpus)
-- parameter edge_weights TEXT = : weights of the scores of an edge, in the order of the file, separated by commas; where none
--   are given, every score weighs -1 for costs and 1 for log-likelihoods. `words=WEIGHT` behind them is of the number of words of
--   the edge
-- audit edge_score_faults
-- column sentence INTEGER: its lattice
-- column edge INTEGER: the edge, numbered from 0
-- column from_node INTEGER: its first node
-- column to_node INTEGER: its last node
-- column edge_words VARCHAR[]: its words
-- column edge_score DOUBLE: the weighted sum of its scores, larger ones are better; 0 for an edge to an added final node that
--   has no scores
-- source: Bernreuther 2005, Lattice evaluation techniques, 2.2.3
SELECT e.sentence, e.edge, e.from_node, e.to_node, e.edge_words,
       CASE WHEN len(e.scores) = 0 AND len(e.edge_words) = 0 THEN CAST(0 AS DOUBLE)
            WHEN $edge_weights <> ''
            THEN list_inner_product(e.scores, TRY_CAST(string_split(regexp_replace($edge_weights, ',words=[^,]*$', ''), ',') AS DOUBLE[]))
                 + CASE WHEN contains($edge_weights, ',words=')
                        THEN len(e.edge_words) * TRY_CAST(regexp_extract($edge_weights, ',words=([^,]*)$', 1) AS DOUBLE)
                        ELSE 0 END
            WHEN len(e.scores) > 0
            THEN list_inner_product(e.scores, list_transform(e.scores, lambda one: CAST(CASE c.score_sense
                 WHEN 'cost' THEN -1 WHEN 'log_likelihood' THEN 1 END AS DOUBLE))) END AS edge_score
FROM lattice_edges AS e
JOIN corpora AS c ON c.corpus = e.corpus
WHERE e.corpus = $lattice_corpus
