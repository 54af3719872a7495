-- keyness: the evidence that a rate differs between two corpora, the log-likelihood statistic G2.
-- kind: function
-- parameter count BIGINT: number of matches in a corpus
-- parameter words BIGINT: number of its words
-- parameter reference_count BIGINT: number of matches in the reference corpus
-- parameter reference_words BIGINT: number of its words
-- column g2 DOUBLE: 2 * (a ln(a / e) + b ln(b / f)), where a and b are the counts, e and f those expected from equal
--   rates, and a count of 0 adds 0; above 3.84 for p < 0.05, above 15.13 for p < 0.0001; NULL without words in either
-- source: Dunning 1993, Accurate methods for the statistics of surprise and coincidence; Rayson & Garside 2000, Comparing
--   corpora using frequency profiling
CASE WHEN words > 0 AND reference_words > 0 THEN greatest(2 * (
  CASE WHEN count > 0
       THEN count * ln(CAST(count AS DOUBLE) * (words + reference_words) / words / (count + reference_count)) ELSE 0 END
  + CASE WHEN reference_count > 0
         THEN reference_count * ln(CAST(reference_count AS DOUBLE) * (words + reference_words)
                                   / reference_words / (count + reference_count)) ELSE 0 END), CAST(0 AS DOUBLE)) END
