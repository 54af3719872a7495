-- bleu_paths: the path of every lattice with the best sentence BLEU; one row per lattice.
-- kind: relation
-- engine: kernel: best_bleu_path finds the path
-- parameters: as oracle_paths (lattice_corpus, reference_corpus, other_corpora, empty_references)
-- audit lattice_correspondence
-- column sentence INTEGER: its lattice
-- column reference VARCHAR: the corpus of the reference whose length is closest to the path's; if several tie, the shorter,
--   the first given
-- column closest_length INTEGER: number of words of that reference
-- column path_bleu DOUBLE: BLEU of the path against all references, with exponential smoothing, over the orders that it
--   has n-grams of
-- column path_words INTEGER: number of words of the path
-- column path_matches INTEGER[]: its n-grams of each order that match
-- column proven BOOLEAN: whether no path has a better BLEU
-- column most_bleu DOUBLE: upper bound of the BLEU of all paths
-- column path_edges INTEGER[]: the edges of the path
-- column path_forms VARCHAR[]: its words
-- source: Zens & Ney 2005, Word graphs for statistical machine translation; Sokolov, Wisniewski & Yvon 2012, Lattice BLEU
--   oracles in machine translation
SELECT b.sentence, b.reference, b.path.closest AS closest_length, b.path.bleu AS path_bleu, b.path.words AS path_words,
       b.path.matches AS path_matches, b.path.proven AS proven, b.path.bound AS most_bleu, b.path.edges AS path_edges,
       b.path.forms AS path_forms
FROM (SELECT f.sentence, r.reference, f.path,
             row_number() OVER (PARTITION BY f.sentence
                                ORDER BY abs(r.n_words - f.path.words), r.n_words, r.reference_rank, r.reference) AS closeness
      FROM (SELECT l.sentence, best_bleu_path(l.n_nodes, l.edges, l.reference_lists) AS path
            FROM lattice_references AS l) AS f
      JOIN reference_sentences(numbered_as := $lattice_corpus) AS r ON r.sentence = f.sentence) AS b
WHERE b.closeness = 1
