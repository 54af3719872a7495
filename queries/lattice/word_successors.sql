-- word_successors: the words on edges of a lattice that can follow each other, of those that its references have next to each
--   other; one row per pair.
-- kind: relation
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as tau_span (lattice_corpus, reference_corpus, other_corpora)
-- column sentence INTEGER: its lattice
-- column edge INTEGER: the edge of the first word
-- column position INTEGER: its position on this edge
-- column form VARCHAR: the first word
-- column next_edge INTEGER: the edge of the second word, which begins where the first one ends or an edge without words
--   from there does
-- column next_position INTEGER: its position on that edge
-- column next_form VARCHAR: the second word
-- source: Bernreuther 2005, Lattice evaluation techniques, definition 3.2
SELECT p.sentence, p.edge, p.position, p.form, p.next_edge, p.next_position, p.next_form
FROM (
WITH RECURSIVE skips AS (
    SELECT DISTINCT e.sentence, e.to_node AS first_node, e.to_node AS last_node
    FROM lattice_edges AS e
    WHERE e.corpus = $lattice_corpus AND len(e.edge_words) > 0
    UNION
    SELECT k.sentence, k.first_node, e.to_node
    FROM skips AS k
    JOIN lattice_edges AS e ON e.sentence = k.sentence AND e.from_node = k.last_node
    WHERE e.corpus = $lattice_corpus AND len(e.edge_words) = 0
), positions AS (
    SELECT w.sentence, w.edge, w.position, w.form, e.from_node, e.to_node, CAST(len(e.edge_words) AS INTEGER) AS n_words
    FROM lattice_words AS w
    JOIN lattice_edges AS e ON e.corpus = w.corpus AND e.sentence = w.sentence AND e.edge = w.edge
    WHERE w.corpus = $lattice_corpus
), reference_pairs AS (
    SELECT DISTINCT t.sentence, t.n_gram
    FROM text_n_grams(numbered_as := $lattice_corpus, longest := 2) AS t
    WHERE t.n_gram_order = 2
)
SELECT a.sentence, a.edge, a.position, a.form, b.edge AS next_edge, b.position AS next_position, b.form AS next_form
FROM positions AS a
JOIN positions AS b ON b.sentence = a.sentence AND b.edge = a.edge AND b.position = a.position + 1
JOIN reference_pairs AS r ON r.sentence = a.sentence AND r.n_gram = a.form || chr(31) || b.form
UNION ALL
SELECT a.sentence, a.edge, a.position, a.form, b.edge AS next_edge, b.position AS next_position, b.form AS next_form
FROM positions AS a
JOIN skips AS k ON k.sentence = a.sentence AND k.first_node = a.to_node
JOIN positions AS b ON b.sentence = a.sentence AND b.from_node = k.last_node
JOIN reference_pairs AS r ON r.sentence = a.sentence AND r.n_gram = a.form || chr(31) || b.form
WHERE a.position = a.n_words AND b.position = 1
) AS p
