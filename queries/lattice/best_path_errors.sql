-- best_path_errors: the path of every lattice with the best scores, and its edits to the nearest reference; one row per
--   lattice.
-- kind: relation
-- engine: kernel: best_scored_path and nearest_path find paths
-- parameters: as oracle_paths (lattice_corpus, reference_corpus, other_corpora, empty_references, edge_weights)
-- audit lattice_correspondence
-- audit edge_score_faults
-- column sentence INTEGER: its lattice
-- column reference VARCHAR: the corpus of the reference with fewest edits; if several tie, the first given
-- column n_reference_words INTEGER: number of words of that reference
-- column path_errors INTEGER: edits of the path
-- columns: as best_paths (path_words, path_score, path_edges, path_forms)
-- source: Bernreuther 2005, Lattice evaluation techniques, 2.2.3
SELECT n.sentence, n.reference, n.n_reference_words, n.path_errors, n.path_words, n.path_score, n.path_edges, n.path_forms
FROM (SELECT m.sentence, m.reference, m.n_reference_words, m.path_errors, m.path_words, m.path_score, m.path_edges,
             m.path_forms,
             row_number() OVER (PARTITION BY m.sentence ORDER BY m.path_errors, m.reference_rank, m.reference) AS nearness
      FROM (SELECT p.sentence, r.reference, r.reference_rank, r.n_words AS n_reference_words, p.path_words, p.path_score,
                   p.path_edges, p.path_forms,
                   nearest_path(2, [{'edge': 0, 'from_node': 0, 'to_node': 1, 'words': p.path_forms}], r.text_forms).errors
                       AS path_errors  -- a lattice of this path alone
            FROM best_paths AS p
            JOIN reference_texts(numbered_as := $lattice_corpus) AS r ON r.sentence = p.sentence) AS m) AS n
WHERE n.nearness = 1
