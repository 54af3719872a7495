-- n_gram_f_score: the F-score of a sentence by chrF, from its n-grams.
-- kind: function
-- parameter n_gram_counts BIGINT[]: as `character_overlaps` has them
-- parameter beta DOUBLE: weight of recall
-- parameter eps_smoothing VARCHAR: yes: the sum of the F-scores of all lengths; no: the F-score of the means
-- column f DOUBLE: 0 or more; greater for better matches
-- source: Popović 2015, chrF: character n-gram F-score for automatic MT evaluation (as in sacrebleu 2.6)
CASE WHEN eps_smoothing = 'yes'
     THEN list_reduce(list_transform(range(0, len(n_gram_counts), 3), lambda place: f_score(
              CASE WHEN n_gram_counts[place + 1] > 0 THEN CAST(n_gram_counts[place + 3] AS DOUBLE) / n_gram_counts[place + 1]
                   ELSE 1e-16 END,
              CASE WHEN n_gram_counts[place + 2] > 0 THEN CAST(n_gram_counts[place + 3] AS DOUBLE) / n_gram_counts[place + 2]
                   ELSE 1e-16 END, beta, 1e-16)),
              lambda total, one: total + one, CAST(0 AS DOUBLE))
     ELSE f_score(n_gram_rate(n_gram_counts, 1), n_gram_rate(n_gram_counts, 2), beta, 0.0) END
