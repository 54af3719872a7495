-- aligned_trees: pairs of dependency trees with the links between their words, as lists; one row per sentence with trees on
--   both sides.
-- kind: relation
-- engine: duckdb: lists
-- parameters: as path_disparities
-- column sentence INTEGER: the sentence
-- column reference_forms VARCHAR[]: words of the reference
-- column reference_heads INTEGER[]: position of each word's head, 0 for a root
-- column reference_relations VARCHAR[]: each word's relation
-- column hypothesis_forms VARCHAR[]: words of the hypothesis
-- column hypothesis_heads INTEGER[]: position of each word's head
-- column hypothesis_relations VARCHAR[]: each word's relation
-- column reference_links INTEGER[]: the reference word of each link, sure or possible
-- column hypothesis_links INTEGER[]: its hypothesis word
-- source: McCaffery 2017, PhD thesis, University of St Andrews, chapter 5
SELECT r.sentence, r.form_list AS reference_forms, r.head_list AS reference_heads, r.relation_list AS reference_relations,
       h.form_list AS hypothesis_forms, h.head_list AS hypothesis_heads, h.relation_list AS hypothesis_relations,
       coalesce(l.source_list, CAST([] AS INTEGER[])) AS reference_links,
       coalesce(l.target_list, CAST([] AS INTEGER[])) AS hypothesis_links
FROM tree_lists AS r
JOIN tree_lists AS h ON h.sentence = r.sentence
LEFT JOIN link_lists AS l ON l.sentence = r.sentence AND l.corpus = $alignment_corpus
WHERE r.corpus = $reference_corpus AND h.corpus = $hypothesis_corpus
