-- log_ratio: the difference of a rate between two corpora, the binary logarithm of the ratio of the rates.
-- kind: function
-- parameter count BIGINT: number of matches in a corpus
-- parameter words BIGINT: number of its words
-- parameter reference_count BIGINT: number of matches in the reference corpus
-- parameter reference_words BIGINT: number of its words
-- column ratio DOUBLE: 1 if the rate is twice that of the reference, -1 if it is half of it; a count of 0 is replaced
--   by 0.5; NULL if both counts are 0, or without words in either
-- source: Hardie 2014, Log Ratio: an informal introduction
CASE WHEN (count > 0 OR reference_count > 0) AND words > 0 AND reference_words > 0
     THEN log2((CASE WHEN count > 0 THEN CAST(count AS DOUBLE) ELSE CAST(0.5 AS DOUBLE) END / words)
               / (CASE WHEN reference_count > 0 THEN CAST(reference_count AS DOUBLE) ELSE CAST(0.5 AS DOUBLE) END
                  / reference_words)) END
