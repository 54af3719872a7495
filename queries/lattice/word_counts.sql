-- word_counts: word counts on the edges of a lattice and in its references; one row per lattice and word.
-- kind: relation
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as tau_span (lattice_corpus, reference_corpus, other_corpora)
-- column sentence INTEGER: its lattice
-- column form VARCHAR: the word
-- column lattice_count BIGINT: occurrences on edges (N_L)
-- column reference_count BIGINT: occurrences in the reference that has it most often (N_R)
-- source: Bernreuther 2005, Lattice evaluation techniques, equations 3.13 and 3.21
SELECT c.sentence, c.form, CAST(sum(c.lattice_count) AS BIGINT) AS lattice_count,
       CAST(sum(c.reference_count) AS BIGINT) AS reference_count
FROM (SELECT w.sentence, w.form, CAST(count(*) AS BIGINT) AS lattice_count, CAST(0 AS BIGINT) AS reference_count
      FROM lattice_words AS w
      WHERE w.corpus = $lattice_corpus
      GROUP BY w.sentence, w.form
      UNION ALL
      SELECT n.sentence, n.form, CAST(0 AS BIGINT) AS lattice_count, max(n.occurrences) AS reference_count
      FROM (SELECT r.reference, r.sentence, r.form, CAST(count(*) AS BIGINT) AS occurrences
            FROM reference_tokens(numbered_as := $lattice_corpus) AS r
            GROUP BY r.reference, r.sentence, r.form) AS n
      GROUP BY n.sentence, n.form) AS c
GROUP BY c.sentence, c.form
