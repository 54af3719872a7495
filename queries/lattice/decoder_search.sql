-- decoder_search: search errors of a decoder: its outputs with worse scores, by the edges of the lattice, than the best path;
--   one row per lattice.
-- kind: metric
-- engine: kernel: best_scored_path and score_of_words find paths
-- parameters: as tau_span (lattice_corpus)
-- parameter hypothesis_corpus TEXT: corpus of the outputs of the decoder, one for every lattice
-- parameters: as weighted_edges (edge_weights)
-- audit output_correspondence
-- audit edge_score_faults
-- column sentence INTEGER: its lattice
-- column best_score DOUBLE: the weighted sum of the scores of the best path
-- column output_score DOUBLE: that of the best path with the words of the output; NULL where no path has them
-- count search_errors BIGINT: 1 if a path has the words of the output and the best path a score that is better by more than
--   0.000001
-- count outside_lattice BIGINT: 1 if no path has the words of the output, which is no search error
-- column outputs_within BIGINT: the opposite of outside_lattice
-- score search_error_share percent lower = sum(search_errors) / nullif(sum(outputs_within), 0): share of the outputs that are
--   paths of their lattice whose score is worse than the best path's
-- source: Bernreuther 2005, Lattice evaluation techniques, 2.2.3
SELECT s.sentence, s.best_score, CASE WHEN s.output_score > CAST('-inf' AS DOUBLE) THEN s.output_score END AS output_score,
       CAST(CASE WHEN s.output_score = CAST('-inf' AS DOUBLE) THEN 0
                 WHEN s.best_score - s.output_score > CAST('0.000001' AS DOUBLE) THEN 1 ELSE 0 END AS BIGINT) AS search_errors,
       CAST(CASE WHEN s.output_score > CAST('-inf' AS DOUBLE) THEN 0 ELSE 1 END AS BIGINT) AS outside_lattice,
       CAST(CASE WHEN s.output_score > CAST('-inf' AS DOUBLE) THEN 1 ELSE 0 END AS BIGINT) AS outputs_within
FROM (SELECT l.sentence, best_scored_path(l.n_nodes, l.edges).score AS best_score,
             score_of_words(l.n_nodes, l.edges, h.text_forms) AS output_score
      FROM lattices_with_scores AS l
      JOIN reference_texts(reference_corpus := $hypothesis_corpus, numbered_as := $lattice_corpus) AS h
        ON h.sentence = l.sentence) AS s
