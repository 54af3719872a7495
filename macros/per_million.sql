-- per_million: a rate per million words.
-- kind: function
-- parameter count BIGINT: number of matches
-- parameter words BIGINT: number of words in which they were found
-- column rate DOUBLE: count / words * 1,000,000; NULL without words
-- source: Biber 1988, Variation across Speech and Writing, normalised frequencies
CAST(count AS DOUBLE) * 1000000 / nullif(words, 0)
