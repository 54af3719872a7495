-- matched_n_grams: how often n-grams of translations occur in a reference of their sentence; one row per n-gram that does.
-- kind: relation
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as position_independent_errors
-- parameters: as n_gram_matches (tokenize)
-- parameter longest_n_gram INTEGER(1..5) = 4: largest number of words of an n-gram of --table n_gram_differences, 1 to 5
-- column n_gram_order INTEGER: number of words
-- column n_gram VARCHAR: the words, with U+001F (unit separator) between
-- count matches BIGINT: its occurrences in the translations, in each sentence at most as many as in a reference of it
-- source: Papineni et al. 2002, BLEU: a method for automatic evaluation of machine translation; Neubig et al. 2019, compare-mt: a
--   tool for holistic comparison of language generation systems
SELECT h.n_gram_order, h.n_gram, CAST(sum(least(h.occurrences, r.occurrences)) AS BIGINT) AS matches
FROM text_n_grams(reference_corpus := $hypothesis_corpus, other_corpora := '', longest := $longest_n_gram) AS h
JOIN (SELECT o.sentence, o.n_gram_order, o.n_gram, max(o.occurrences) AS occurrences
      FROM text_n_grams(numbered_as := $hypothesis_corpus, longest := $longest_n_gram) AS o
      GROUP BY o.sentence, o.n_gram_order, o.n_gram) AS r
    ON r.sentence = h.sentence AND r.n_gram_order = h.n_gram_order AND r.n_gram = h.n_gram
GROUP BY h.n_gram_order, h.n_gram
