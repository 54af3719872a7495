-- oracle_paths: the path of every lattice that is nearest to a reference, or best by its references; one row per lattice.
-- kind: relation
-- engine: kernel: nearest_path, cheapest_path and the related functions find paths
-- parameters: as tau_span (lattice_corpus, reference_corpus, other_corpora)
-- parameters: as position_independent_errors (empty_references)
-- parameter measure TEXT(ger|gwer|pmed|gper|bleu|score) = ger: what the path minimises: edits, edits per word of the path,
--   edits regardless of word order (PMED), or PMED per word of the path; or what it maximises: sentence BLEU, or the score of
--   its edges
-- parameters: as weighted_edges (edge_weights)
-- parameter substitution_cost DOUBLE(0..1000|6 decimals) = 1: cost of a substitution where edits are minimal
-- parameter insertion_cost DOUBLE(0..1000|6 decimals) = 1: cost of an insertion, an extra word of the path
-- parameter deletion_cost DOUBLE(0..1000|6 decimals) = 1: cost of a deletion, a word of the reference that the path lacks
-- parameter reordering TEXT(none|swap) = none: swap: two neighbouring words of the path that the reference has in exchanged order,
--   with no edit between them, cost 1
-- audit lattice_correspondence
-- column sentence INTEGER: its lattice
-- column reference VARCHAR: the corpus of the reference that the path is nearest to, for BLEU the one closest in length; if
--   several tie, the first given
-- column n_reference_words INTEGER: number of words of that reference
-- column path_errors INTEGER: edits and exchanges, or PMED; NULL for BLEU, and where all paths are without words and errors
--   are counted per word; for scores the edits of the path
-- column path_words INTEGER: number of words of the path
-- column path_score DOUBLE: BLEU of the path, or the sum of the weighted scores of its edges; NULL where errors are minimal
-- column proven BOOLEAN: whether no path is nearer or better; edits and scores are always proven
-- column least DOUBLE: lower bound of the errors, of what they cost, or of the errors per word, of all paths; NULL for BLEU and
--   scores
-- column greatest DOUBLE: upper bound of the BLEU, or of the scores, of all paths; NULL where errors are minimal
-- column path_edges INTEGER[]: the edges of the path
-- column path_forms VARCHAR[]: its words
-- source: Bernreuther 2005, Lattice evaluation techniques, equations 2.1, 2.3 and 2.13; Zens & Ney 2005, Word
--   graphs for statistical machine translation (BLEU)
SELECT b.sentence, b.reference, b.n_reference_words, b.path.errors AS path_errors, b.path.words AS path_words,
       CAST(NULL AS DOUBLE) AS path_score, b.path.proven AS proven, b.path.bound AS least, CAST(NULL AS DOUBLE) AS greatest,
       b.path.edges AS path_edges, b.path.forms AS path_forms
FROM (SELECT o.sentence, o.reference, o.n_reference_words, o.path,
             row_number() OVER (PARTITION BY o.sentence
                                ORDER BY CASE WHEN $measure = 'ger' THEN o.path.bound WHEN $measure = 'pmed' THEN CAST(o.path.errors AS DOUBLE)
                                              ELSE CAST(o.path.errors AS DOUBLE) / o.path.words END NULLS LAST,
                                         o.reference_rank, o.reference) AS nearness
      FROM (SELECT l.sentence, r.reference, r.reference_rank, r.n_words AS n_reference_words,
                   CASE WHEN $measure = 'ger' AND $reordering = 'none' AND $substitution_cost = 1 AND $insertion_cost = 1
                             AND $deletion_cost = 1 THEN nearest_path(l.n_nodes, l.edges, r.text_forms)
                        WHEN $measure = 'ger'
                        THEN cheapest_path(l.n_nodes, l.edges, r.text_forms, $substitution_cost, $insertion_cost,
                                           $deletion_cost, $reordering)
                        WHEN $measure = 'gwer' THEN nearest_path_per_word(l.n_nodes, l.edges, r.text_forms)
                        WHEN $measure = 'pmed' THEN nearest_bag(l.n_nodes, l.edges, r.text_forms)
                        ELSE nearest_bag_per_word(l.n_nodes, l.edges, r.text_forms) END AS path
            FROM lattice_lists AS l
            JOIN reference_texts(numbered_as := $lattice_corpus) AS r ON r.sentence = l.sentence
            WHERE l.corpus = $lattice_corpus AND $measure NOT IN ('bleu', 'score')) AS o) AS b
WHERE b.nearness = 1
UNION ALL
SELECT p.sentence, p.reference, p.closest_length AS n_reference_words, CAST(NULL AS INTEGER) AS path_errors, p.path_words,
       p.path_bleu AS path_score, p.proven, CAST(NULL AS DOUBLE) AS least, p.most_bleu AS greatest, p.path_edges, p.path_forms
FROM bleu_paths AS p
WHERE $measure = 'bleu'
UNION ALL
SELECT s.sentence, s.reference, s.n_reference_words, s.path_errors, s.path_words, s.path_score, TRUE AS proven,
       CAST(NULL AS DOUBLE) AS least, s.path_score AS greatest, s.path_edges, s.path_forms
FROM best_path_errors AS s
WHERE $measure = 'score'
