-- reference_coverage: word precision and recall of lattices against references, and how evenly lattices cover the words
--   of their references; one row per lattice.
-- kind: metric
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as tau_span (lattice_corpus, reference_corpus, other_corpora)
-- audit lattice_correspondence
-- column sentence INTEGER: its lattice
-- column covered_words BIGINT: sum over words of the smaller of lattice_count and reference_count
-- column words_of_lattices BIGINT: words on its edges
-- column words_of_references BIGINT: words of the reference; of several, the largest count of each word
-- column coverage_uniformity DOUBLE: entropy of the distribution of coverage over reference words, divided by its
--   maximum; NULL where no reference word is covered, or there is only one
-- column covered_lattices BIGINT: 1 where it is defined
-- score word_precision percent higher = sum(covered_words) / nullif(sum(words_of_lattices), 0): share of the lattices' words that
--   references have
-- score word_recall percent higher = sum(covered_words) / nullif(sum(words_of_references), 0): share of the references' words that
--   lattices have
-- score uniformity percent neither = sum(coverage_uniformity) / nullif(sum(covered_lattices), 0): evenness of coverage,
--   the mean over lattices; 1 where all reference words are covered equally
-- source: Bernreuther 2005, Lattice evaluation techniques, equations 3.1 to 3.3, and 3.5 with the sign that entropy has
SELECT e.sentence, e.covered_words, e.words_of_lattices, e.words_of_references,
       CASE WHEN e.covering_words > 0 AND e.words_of_references > 1
            THEN (ln(CAST(e.covering_words AS DOUBLE)) - e.logarithms / e.covering_words)
                 / ln(CAST(e.words_of_references AS DOUBLE)) END AS coverage_uniformity,
       CAST(CASE WHEN e.covering_words > 0 AND e.words_of_references > 1 THEN 1 ELSE 0 END AS BIGINT) AS covered_lattices
FROM (SELECT l.sentence, coalesce(c.covered_words, 0) AS covered_words,
             coalesce(c.words_of_lattices, 0) AS words_of_lattices,
             coalesce(c.words_of_references, 0) AS words_of_references,
             coalesce(c.covering_words, 0) AS covering_words, c.logarithms
      FROM lattices AS l
      LEFT JOIN (SELECT w.sentence,
                        CAST(sum(CASE WHEN w.lattice_count < w.reference_count THEN w.lattice_count
                                      ELSE w.reference_count END) AS BIGINT) AS covered_words,
                        CAST(sum(w.lattice_count) AS BIGINT) AS words_of_lattices,
                        CAST(sum(w.reference_count) AS BIGINT) AS words_of_references,
                        CAST(sum(CASE WHEN w.reference_count > 0 THEN w.lattice_count ELSE 0 END) AS BIGINT)
                            AS covering_words,
                        CAST(sum(CASE WHEN w.reference_count > 0 AND w.lattice_count > 0
                                      THEN CAST(round(w.lattice_count * ln(CAST(w.lattice_count AS DOUBLE) / w.reference_count)
                                                      * 1099511627776.0) AS HUGEINT)
                                      ELSE CAST(0 AS HUGEINT) END) AS DOUBLE) / 1099511627776.0 AS logarithms
                 FROM word_counts AS w
                 GROUP BY w.sentence) AS c ON c.sentence = l.sentence
      WHERE l.corpus = $lattice_corpus) AS e
