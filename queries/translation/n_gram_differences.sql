-- n_gram_differences: n-grams that a system has right more or less often than the first system, the most different first; one
--   row per n-gram.
-- kind: statistic
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as matched_n_grams (hypothesis_corpus, reference_corpus)
-- parameter baseline_corpus TEXT: corpus of the translations of the first system
-- parameters: as matched_n_grams (other_corpora, empty_references, lowercase, punctuation, unicode_form, tokenize, longest_n_gram)
-- parameter n_gram_smoothing DOUBLE(0.001..1000000) = 1: what is added to both numbers of matches of an n-gram: the larger, the
--   more frequent are the n-grams that come first
-- audit translation_correspondence
-- audit baseline_correspondence
-- column n_gram_order INTEGER: number of words
-- column n_gram VARCHAR: the words, with blanks between
-- column baseline_matches BIGINT: how often the first system has it right: as in a reference of the sentence
-- column matches BIGINT: how often the system has it right
-- column difference BIGINT: the latter less the former
-- column matched_share DOUBLE: (matches + smoothing) / (matches + baseline_matches + 2 * smoothing): above 0.5 where the system
--   has it right more often
-- source: Neubig et al. 2019, compare-mt: a tool for holistic comparison of language generation systems (n-gram difference
--   analysis, smoothed by 1)
SELECT e.n_gram_order, replace(e.n_gram, chr(31), ' ') AS n_gram, e.baseline_matches, e.matches, e.difference, e.matched_share
FROM (SELECT d.n_gram_order, d.n_gram, d.baseline_matches, d.matches, d.matches - d.baseline_matches AS difference,
             (d.matches + $n_gram_smoothing) / (d.matches + d.baseline_matches + 2 * CAST($n_gram_smoothing AS DOUBLE))
                 AS matched_share,
             abs(d.matches - d.baseline_matches) / (d.matches + d.baseline_matches + 2 * CAST($n_gram_smoothing AS DOUBLE))
                 AS distance
      FROM (SELECT u.n_gram_order, u.n_gram, CAST(sum(u.baseline_matches) AS BIGINT) AS baseline_matches,
                   CAST(sum(u.matches) AS BIGINT) AS matches
            FROM (SELECT b.n_gram_order, b.n_gram, b.matches AS baseline_matches, CAST(0 AS BIGINT) AS matches
                  FROM matched_n_grams(hypothesis_corpus := $baseline_corpus) AS b
                  UNION ALL
                  SELECT h.n_gram_order, h.n_gram, CAST(0 AS BIGINT) AS baseline_matches, h.matches
                  FROM matched_n_grams AS h) AS u
            GROUP BY u.n_gram_order, u.n_gram) AS d
      WHERE d.matches <> d.baseline_matches) AS e
ORDER BY e.distance DESC, e.n_gram_order DESC, e.n_gram
