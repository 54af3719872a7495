-- graph_error: smallest edit distance between a path of a lattice and a reference, or what its edits cost; one row per lattice.
-- kind: metric
-- engine: kernel: nearest_path and cheapest_path find the path
-- parameters: as oracle_paths (lattice_corpus, reference_corpus, other_corpora, empty_references)
-- parameters: as oracle_paths (substitution_cost, insertion_cost, deletion_cost, reordering)
-- audit lattice_correspondence
-- column sentence INTEGER: its lattice
-- column reference VARCHAR: the corpus of the reference with fewest edits
-- count ger BIGINT: graph error, the edits and exchanges of its best path
-- column reference_words BIGINT: words of that reference
-- column cost_millionths BIGINT: what the edits and exchanges of the best path cost, in millionths; the least of all paths
-- score ger_rate percent lower = sum(ger) / nullif(sum(reference_words), 0): graph error rate, edits per word of the
--   references
-- score ger_cost number lower = sum(cost_millionths) / 1000000: what the edits cost, the sum over lattices; by default ger
-- score ger_cost_rate percent lower = sum(cost_millionths) / nullif(1000000 * sum(reference_words), 0): cost of the edits per word of the
--   references
-- source: Bernreuther 2005, Lattice evaluation techniques, equation 2.3, and 2.1 (costs of edits)
SELECT o.sentence, o.reference, CAST(o.path_errors AS BIGINT) AS ger, CAST(o.n_reference_words AS BIGINT) AS reference_words,
       CAST(round(o.least * 1000000) AS BIGINT) AS cost_millionths
FROM oracle_paths(measure := 'ger') AS o
