-- n_gram_totals: how often every n-gram of up to five words occurs in all references; one row per n-gram.
-- kind: relation
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as n_gram_weights
-- column n_gram_order INTEGER: number of words
-- column n_gram VARCHAR: the words, with U+001F (unit separator) between
-- count occurrences BIGINT: number of occurrences
-- source: Doddington 2002, Automatic evaluation of machine translation quality using n-gram co-occurrence statistics
SELECT t.n_gram_order, t.n_gram, CAST(sum(t.occurrences) AS BIGINT) AS occurrences
FROM text_n_grams(longest := 5) AS t
GROUP BY t.n_gram_order, t.n_gram
