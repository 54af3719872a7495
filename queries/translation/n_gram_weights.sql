-- n_gram_weights: the information of every n-gram of up to five words in all references: the binary logarithm of how often
--   its first words occur per occurrence of all of them; one row per n-gram.
-- kind: relation
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as position_independent_errors (reference_corpus, other_corpora, empty_references, lowercase, punctuation, unicode_form)
-- parameters: as reference_tokens (tokenize)
-- parameters: as reference_sentences (numbered_as)
-- column n_gram_order INTEGER: number of words
-- column n_gram VARCHAR: the words, with U+001F (unit separator) between
-- column information DOUBLE: bits
-- source: Doddington 2002, Automatic evaluation of machine translation quality using n-gram co-occurrence statistics
SELECT n.n_gram_order, n.n_gram,
       log2(CAST(coalesce(f.occurrences, a.occurrences) AS DOUBLE) / n.occurrences) AS information
FROM n_gram_totals AS n
LEFT JOIN n_gram_totals AS f
    ON f.n_gram_order = n.n_gram_order - 1
       AND f.n_gram = left(n.n_gram, length(n.n_gram) - strpos(reverse(n.n_gram), chr(31)))
CROSS JOIN (SELECT sum(u.occurrences) AS occurrences FROM n_gram_totals AS u WHERE u.n_gram_order = 1) AS a
