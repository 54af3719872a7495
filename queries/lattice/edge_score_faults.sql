-- edge_score_faults: scores of edges that cannot be weighted; one row per fault.
-- kind: audit
-- crosses_sentences unless edge_weights: all edges have as many scores as the one with most
-- engine: duckdb: edges have lists of scores
-- parameters: as weighted_edges (lattice_corpus, edge_weights)
-- columns: as tree_correspondence
-- source: Bernreuther 2005, Lattice evaluation techniques, 2.2.3
SELECT c.corpus AS file, CAST(0 AS BIGINT) AS line, 'it is not recorded whether the scores are costs or log-likelihoods' AS problem,
       'name what they are, score_sense, cost or log_likelihood; or their weights, edge_weights, a number per score' AS hint
FROM corpora AS c
WHERE c.corpus = $lattice_corpus AND $edge_weights = '' AND c.score_sense IS NULL
UNION ALL
SELECT c.corpus AS file, CAST(0 AS BIGINT) AS line, 'edge_weights are ' || $edge_weights || ', which are not all finite numbers' AS problem,
       'separate numbers by commas, such as 1,-0.5; words=0.5 may stand behind them' AS hint
FROM corpora AS c
WHERE c.corpus = $lattice_corpus AND $edge_weights <> ''
  AND len(list_filter(TRY_CAST(string_split(replace($edge_weights, ',words=', ','), ',') AS DOUBLE[]), lambda x: isfinite(x)))
      < len(string_split($edge_weights, ','))
UNION ALL
SELECT s.file, s.line,
       'edge ' || CAST(f.edge AS VARCHAR) || ' of lattice ' || CAST(f.sentence + 1 AS VARCHAR) || ' has '
           || CAST(f.n_scores AS VARCHAR) || CASE WHEN f.n_scores = 1 THEN ' score, ' ELSE ' scores, ' END
           || CASE WHEN $edge_weights <> '' THEN CAST(f.expected AS VARCHAR) || ' weights are given'
                   WHEN f.expected = 0 THEN 'as all edges' ELSE 'others have ' || CAST(f.expected AS VARCHAR) END
           || CASE WHEN f.n_edges > 1 THEN '; ' || CAST(f.n_edges - 1 AS VARCHAR) || ' more edges are like it' ELSE '' END AS problem,
       CASE WHEN f.expected = 0 THEN 'posteriors and best paths need lattices with scores'
            ELSE 'give every edge as many scores, and a weight for each' END AS hint
FROM (SELECT g.sentence, g.edge, g.n_scores, g.expected, count(*) OVER () AS n_edges,
             row_number() OVER (ORDER BY g.sentence, g.edge) AS place
FROM (SELECT e.sentence, e.edge, len(e.scores) AS n_scores,
             CASE WHEN $edge_weights <> '' THEN len(string_split(regexp_replace($edge_weights, ',words=[^,]*$', ''), ','))
                  ELSE max(len(e.scores)) OVER () END AS expected,
             len(e.scores) = 0 AND len(e.edge_words) = 0 AND e.to_node = l.n_nodes - 1
                 AND (l.n_finals > 1 OR count(*) OVER (PARTITION BY e.sentence, e.to_node) = 1) AS added
      FROM lattice_edges AS e
      JOIN lattices AS l ON l.sentence = e.sentence
      WHERE e.corpus = $lattice_corpus AND l.corpus = $lattice_corpus) AS g
WHERE NOT g.added AND (g.n_scores <> g.expected OR g.expected = 0)) AS f
JOIN sentences AS s ON s.sentence = f.sentence
WHERE s.corpus = $lattice_corpus AND f.place = 1
