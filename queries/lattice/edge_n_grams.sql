-- edge_n_grams: the n-grams of up to four words inside edges, and whether a reference has them; one row per lattice and
--   n-gram.
-- kind: metric
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as tau_span (lattice_corpus, reference_corpus, other_corpora)
-- audit lattice_correspondence
-- column sentence INTEGER: its lattice
-- column n_gram_order INTEGER: number of words
-- column n_gram VARCHAR: the words, with blanks between
-- column occurrences BIGINT: number of occurrences on edges of the lattice
-- column edge_n_grams_1 BIGINT: the same if it has 1 word, else 0
-- column edge_matches_1 BIGINT: the same if it also occurs in a reference
-- column edge_n_grams_2 BIGINT: the same if it has 2 words, else 0
-- column edge_matches_2 BIGINT: the same if it also occurs in a reference
-- column edge_n_grams_3 BIGINT: the same if it has 3 words, else 0
-- column edge_matches_3 BIGINT: the same if it also occurs in a reference
-- column edge_n_grams_4 BIGINT: the same if it has 4 words, else 0
-- column edge_matches_4 BIGINT: the same if it also occurs in a reference
-- score edge_precision_1 percent higher = sum(edge_matches_1) / nullif(sum(edge_n_grams_1), 0): share of the 1-grams
--   inside edges that references have
-- score edge_precision_2 percent higher = sum(edge_matches_2) / nullif(sum(edge_n_grams_2), 0): share of the 2-grams
--   inside edges that references have
-- score edge_precision_3 percent higher = sum(edge_matches_3) / nullif(sum(edge_n_grams_3), 0): share of the 3-grams
--   inside edges that references have
-- score edge_precision_4 percent higher = sum(edge_matches_4) / nullif(sum(edge_n_grams_4), 0): share of the 4-grams
--   inside edges that references have
-- score edge_precision percent higher = (sum(edge_matches_1) / nullif(sum(edge_n_grams_1), 0) + sum(edge_matches_2) / nullif(sum(edge_n_grams_2), 0) + sum(edge_matches_3) / nullif(sum(edge_n_grams_3), 0) + sum(edge_matches_4) / nullif(sum(edge_n_grams_4), 0)) / 4: the mean of the four
-- source: Bernreuther 2005, Lattice evaluation techniques, 3.2.6
SELECT g.sentence, g.n_gram_order, replace(g.n_gram, chr(31), ' ') AS n_gram, g.occurrences,
       CASE WHEN g.n_gram_order = 1 THEN g.occurrences ELSE 0 END AS edge_n_grams_1,
       CASE WHEN g.n_gram_order = 1 AND r.n_gram IS NOT NULL THEN g.occurrences ELSE 0 END AS edge_matches_1,
       CASE WHEN g.n_gram_order = 2 THEN g.occurrences ELSE 0 END AS edge_n_grams_2,
       CASE WHEN g.n_gram_order = 2 AND r.n_gram IS NOT NULL THEN g.occurrences ELSE 0 END AS edge_matches_2,
       CASE WHEN g.n_gram_order = 3 THEN g.occurrences ELSE 0 END AS edge_n_grams_3,
       CASE WHEN g.n_gram_order = 3 AND r.n_gram IS NOT NULL THEN g.occurrences ELSE 0 END AS edge_matches_3,
       CASE WHEN g.n_gram_order = 4 THEN g.occurrences ELSE 0 END AS edge_n_grams_4,
       CASE WHEN g.n_gram_order = 4 AND r.n_gram IS NOT NULL THEN g.occurrences ELSE 0 END AS edge_matches_4
FROM (SELECT n.sentence, n.n_gram_order, n.n_gram, CAST(count(*) AS BIGINT) AS occurrences
      FROM (
      SELECT a.sentence, 1 AS n_gram_order, a.form AS n_gram
      FROM lattice_words AS a
      WHERE a.corpus = $lattice_corpus
      UNION ALL
      SELECT a.sentence, 2 AS n_gram_order, a.form || chr(31) || b.form AS n_gram
      FROM lattice_words AS a
      JOIN lattice_words AS b ON b.sentence = a.sentence AND b.edge = a.edge AND b.position = a.position + 1
      WHERE a.corpus = $lattice_corpus AND b.corpus = $lattice_corpus
      UNION ALL
      SELECT a.sentence, 3 AS n_gram_order, a.form || chr(31) || b.form || chr(31) || c.form AS n_gram
      FROM lattice_words AS a
      JOIN lattice_words AS b ON b.sentence = a.sentence AND b.edge = a.edge AND b.position = a.position + 1
      JOIN lattice_words AS c ON c.sentence = a.sentence AND c.edge = a.edge AND c.position = a.position + 2
      WHERE a.corpus = $lattice_corpus AND b.corpus = $lattice_corpus AND c.corpus = $lattice_corpus
      UNION ALL
      SELECT a.sentence, 4 AS n_gram_order, a.form || chr(31) || b.form || chr(31) || c.form || chr(31) || d.form AS n_gram
      FROM lattice_words AS a
      JOIN lattice_words AS b ON b.sentence = a.sentence AND b.edge = a.edge AND b.position = a.position + 1
      JOIN lattice_words AS c ON c.sentence = a.sentence AND c.edge = a.edge AND c.position = a.position + 2
      JOIN lattice_words AS d ON d.sentence = a.sentence AND d.edge = a.edge AND d.position = a.position + 3
      WHERE a.corpus = $lattice_corpus AND b.corpus = $lattice_corpus AND c.corpus = $lattice_corpus AND d.corpus = $lattice_corpus) AS n
      GROUP BY n.sentence, n.n_gram_order, n.n_gram) AS g
LEFT JOIN (SELECT DISTINCT t.sentence, t.n_gram_order, t.n_gram
           FROM text_n_grams(numbered_as := $lattice_corpus) AS t) AS r
    ON r.sentence = g.sentence AND r.n_gram_order = g.n_gram_order AND r.n_gram = g.n_gram
