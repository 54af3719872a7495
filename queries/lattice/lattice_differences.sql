-- lattice_differences: whether the lattices of two corpora have the same word sequences, graphs and scores; one row per lattice.
-- kind: statistic
-- engine: kernel: compare_lattices compares them
-- parameters: as tau_span (lattice_corpus)
-- parameter other_lattice_corpus TEXT: corpus of the lattices that they are compared with
-- audit lattice_counterparts
-- column sentence INTEGER: the lattice of the first corpus
-- column sent_id VARCHAR: its id
-- column words VARCHAR: whether the paths of both have the same words: same, differs, or unknown where that takes too long
-- column graph VARCHAR: whether both have the same edges with the same words, whatever the numbers of nodes and edges: same,
--   differs, or unknown
-- column scores VARCHAR: whether equal edges also have equal scores, costs as negative log-likelihoods: same, differs, unknown;
--   NULL where graphs are not the same
-- source: Bernreuther 2005, Lattice evaluation techniques, definition 3.1
SELECT c.sentence, c.sent_id, c.found.words AS words,
       CASE WHEN c.n_nodes <> c.other_n_nodes THEN 'differs' ELSE c.found.graph END AS graph,
       CASE WHEN c.n_nodes <> c.other_n_nodes THEN NULL
            WHEN c.found.scores = 'same' AND c.final_scores IS DISTINCT FROM c.other_final_scores THEN 'differs'
            ELSE c.found.scores END AS scores
FROM (SELECT p.sentence, s.sent_id, a.n_nodes, b.n_nodes AS other_n_nodes, a.final_scores,
             b.final_scores AS other_final_scores, compare_lattices(a.n_nodes, a.edges, b.n_nodes, b.edges) AS found
      FROM reference_sentences(reference_corpus := $other_lattice_corpus, numbered_as := $lattice_corpus) AS p
      JOIN sentences AS s ON s.corpus = $lattice_corpus AND s.sentence = p.sentence
      JOIN numbered_lattices AS a ON a.corpus = $lattice_corpus AND a.sentence = p.sentence
      JOIN numbered_lattices AS b ON b.corpus = $other_lattice_corpus AND b.sentence = p.reference_sentence) AS c
ORDER BY c.sentence
