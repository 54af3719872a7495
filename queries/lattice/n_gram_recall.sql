-- n_gram_recall: the n-grams of up to four words of references that are on edges of lattices, within them or across those
--   that follow each other; one row per lattice.
-- kind: metric
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as tau_span (lattice_corpus, reference_corpus, other_corpora)
-- audit lattice_correspondence
-- column sentence INTEGER: its lattice
-- column reference_n_grams_1 BIGINT: 1-grams of the reference; of several, the largest count of each
-- column recalled_n_grams_1 BIGINT: those of them that the lattice has, each at most as often as it has it
-- column reference_n_grams_2 BIGINT: 2-grams of the reference; of several, the largest count of each
-- column recalled_n_grams_2 BIGINT: those of them that the lattice has, each at most as often as it has it
-- column reference_n_grams_3 BIGINT: 3-grams of the reference; of several, the largest count of each
-- column recalled_n_grams_3 BIGINT: those of them that the lattice has, each at most as often as it has it
-- column reference_n_grams_4 BIGINT: 4-grams of the reference; of several, the largest count of each
-- column recalled_n_grams_4 BIGINT: those of them that the lattice has, each at most as often as it has it
-- score ngram_recall_1 percent higher = sum(recalled_n_grams_1) / nullif(sum(reference_n_grams_1), 0): share of the
--   1-grams of the references that are on edges of the lattices that follow each other
-- score ngram_recall_2 percent higher = sum(recalled_n_grams_2) / nullif(sum(reference_n_grams_2), 0): share of the
--   2-grams of the references that are on edges of the lattices that follow each other
-- score ngram_recall_3 percent higher = sum(recalled_n_grams_3) / nullif(sum(reference_n_grams_3), 0): share of the
--   3-grams of the references that are on edges of the lattices that follow each other
-- score ngram_recall_4 percent higher = sum(recalled_n_grams_4) / nullif(sum(reference_n_grams_4), 0): share of the
--   4-grams of the references that are on edges of the lattices that follow each other
-- source: Bernreuther 2005, Lattice evaluation techniques, equations 3.2 and 3.3 with n-grams as events
SELECT l.sentence, coalesce(m.reference_n_grams_1, 0) AS reference_n_grams_1, coalesce(m.recalled_n_grams_1, 0) AS recalled_n_grams_1,
       coalesce(m.reference_n_grams_2, 0) AS reference_n_grams_2, coalesce(m.recalled_n_grams_2, 0) AS recalled_n_grams_2,
       coalesce(m.reference_n_grams_3, 0) AS reference_n_grams_3, coalesce(m.recalled_n_grams_3, 0) AS recalled_n_grams_3,
       coalesce(m.reference_n_grams_4, 0) AS reference_n_grams_4, coalesce(m.recalled_n_grams_4, 0) AS recalled_n_grams_4
FROM lattices AS l
LEFT JOIN (
WITH wanted AS (
    SELECT t.sentence, t.n_gram_order, t.n_gram, max(t.occurrences) AS occurrences
    FROM text_n_grams(numbered_as := $lattice_corpus) AS t
    GROUP BY t.sentence, t.n_gram_order, t.n_gram
), pairs AS (
    SELECT s.sentence, s.edge, s.position, s.form, s.next_edge, s.next_position, s.next_form FROM word_successors AS s
), two AS (
    SELECT p.sentence, p.form || chr(31) || p.next_form AS n_gram, p.next_edge AS edge, p.next_position AS position,
           CAST(count(*) AS BIGINT) AS ends
    FROM pairs AS p
    GROUP BY p.sentence, p.form || chr(31) || p.next_form, p.next_edge, p.next_position
), three AS (
    SELECT n.sentence, n.n_gram || chr(31) || p.next_form AS n_gram, p.next_edge AS edge, p.next_position AS position,
           CAST(least(sum(n.ends), 1048576) AS BIGINT) AS ends
    FROM two AS n
    JOIN pairs AS p ON p.sentence = n.sentence AND p.edge = n.edge AND p.position = n.position
    JOIN wanted AS r ON r.sentence = n.sentence AND r.n_gram = n.n_gram || chr(31) || p.next_form
    WHERE r.n_gram_order = 3
    GROUP BY n.sentence, n.n_gram || chr(31) || p.next_form, p.next_edge, p.next_position
), four AS (
    SELECT n.sentence, n.n_gram || chr(31) || p.next_form AS n_gram, CAST(least(sum(n.ends), 1048576) AS BIGINT) AS ends
    FROM three AS n
    JOIN pairs AS p ON p.sentence = n.sentence AND p.edge = n.edge AND p.position = n.position
    JOIN wanted AS r ON r.sentence = n.sentence AND r.n_gram = n.n_gram || chr(31) || p.next_form
    WHERE r.n_gram_order = 4
    GROUP BY n.sentence, n.n_gram || chr(31) || p.next_form
)
SELECT r.sentence, CAST(sum(CASE WHEN r.n_gram_order = 1 THEN r.occurrences ELSE 0 END) AS BIGINT) AS reference_n_grams_1,
             CAST(sum(CASE WHEN r.n_gram_order = 1 THEN least(r.occurrences, coalesce(c.occurrences, 0)) ELSE 0 END) AS BIGINT)
                 AS recalled_n_grams_1,
             CAST(sum(CASE WHEN r.n_gram_order = 2 THEN r.occurrences ELSE 0 END) AS BIGINT) AS reference_n_grams_2,
             CAST(sum(CASE WHEN r.n_gram_order = 2 THEN least(r.occurrences, coalesce(c.occurrences, 0)) ELSE 0 END) AS BIGINT)
                 AS recalled_n_grams_2,
             CAST(sum(CASE WHEN r.n_gram_order = 3 THEN r.occurrences ELSE 0 END) AS BIGINT) AS reference_n_grams_3,
             CAST(sum(CASE WHEN r.n_gram_order = 3 THEN least(r.occurrences, coalesce(c.occurrences, 0)) ELSE 0 END) AS BIGINT)
                 AS recalled_n_grams_3,
             CAST(sum(CASE WHEN r.n_gram_order = 4 THEN r.occurrences ELSE 0 END) AS BIGINT) AS reference_n_grams_4,
             CAST(sum(CASE WHEN r.n_gram_order = 4 THEN least(r.occurrences, coalesce(c.occurrences, 0)) ELSE 0 END) AS BIGINT)
                 AS recalled_n_grams_4
FROM wanted AS r
LEFT JOIN (
    SELECT w.sentence, 1 AS n_gram_order, w.form AS n_gram, CAST(count(*) AS BIGINT) AS occurrences
    FROM lattice_words AS w
    WHERE w.corpus = $lattice_corpus
    GROUP BY w.sentence, w.form
    UNION ALL
    SELECT n.sentence, 2 AS n_gram_order, n.n_gram, CAST(sum(n.ends) AS BIGINT) AS occurrences FROM two AS n GROUP BY n.sentence, n.n_gram
    UNION ALL
    SELECT n.sentence, 3 AS n_gram_order, n.n_gram, CAST(sum(n.ends) AS BIGINT) AS occurrences FROM three AS n GROUP BY n.sentence, n.n_gram
    UNION ALL
    SELECT n.sentence, 4 AS n_gram_order, n.n_gram, CAST(sum(n.ends) AS BIGINT) AS occurrences FROM four AS n GROUP BY n.sentence, n.n_gram
) AS c ON c.sentence = r.sentence AND c.n_gram_order = r.n_gram_order AND c.n_gram = r.n_gram
GROUP BY r.sentence
) AS m ON m.sentence = l.sentence
WHERE l.corpus = $lattice_corpus
