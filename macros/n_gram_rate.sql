-- n_gram_rate: the mean share of shared n-grams, over the lengths that both texts have.
-- kind: function
-- parameter n_gram_counts BIGINT[]: as `character_overlaps` has them
-- parameter side INTEGER: 1: of the n-grams of the hypothesis (precision), 2: of those of the reference (recall)
-- column rate DOUBLE: 0 to 1; 0 if there is no such length
-- source: Popović 2015, chrF: character n-gram F-score for automatic MT evaluation (as in sacrebleu 2.6)
coalesce(list_reduce(list_transform(
             list_filter(range(0, len(n_gram_counts), 3), lambda place: n_gram_counts[place + 1] > 0 AND n_gram_counts[place + 2] > 0),
             lambda place: CAST(n_gram_counts[place + 3] AS DOUBLE) / n_gram_counts[place + side]),
             lambda total, share: total + share, CAST(0 AS DOUBLE))
         / nullif(len(list_filter(range(0, len(n_gram_counts), 3),
                                  lambda place: n_gram_counts[place + 1] > 0 AND n_gram_counts[place + 2] > 0)), 0), 0)
