-- lattice_references: every lattice and all its references as lists, for the functions that take several; one row per
--   lattice.
-- kind: relation
-- engine: duckdb: kernels take lists
-- parameters: as oracle_paths (lattice_corpus, reference_corpus, other_corpora, empty_references)
-- column sentence INTEGER: its lattice
-- column n_nodes INTEGER: number of its nodes
-- column edges STRUCT(edge INTEGER, from_node INTEGER, to_node INTEGER, words VARCHAR[])[]: its edges, in any order
-- column reference_names VARCHAR[]: the corpora of its references, in the order given
-- column reference_lists VARCHAR[][]: the words of each
-- source: Papineni et al. 2002, BLEU: a method for automatic evaluation of machine translation (several references)
SELECT l.sentence, l.n_nodes, l.edges, t.reference_names, t.reference_lists
FROM lattice_lists AS l
JOIN (SELECT r.sentence, list(r.reference ORDER BY r.reference_rank, r.reference) AS reference_names,
             list(r.text_forms ORDER BY r.reference_rank, r.reference) AS reference_lists
      FROM reference_texts(numbered_as := $lattice_corpus) AS r
      GROUP BY r.sentence) AS t ON t.sentence = l.sentence
WHERE l.corpus = $lattice_corpus
