-- pmi: pointwise mutual information of two values, in bits.
-- kind: function
-- parameter count BIGINT: number of pairs with both values
-- parameter first_count BIGINT: number of pairs with the first value
-- parameter second_count BIGINT: number of pairs with the second value
-- parameter total BIGINT: number of all pairs
-- column bits DOUBLE: log2(count / e), where e = first_count * second_count / total is the number of pairs to expect from
--   independent values; NULL if a number is 0
-- source: Church & Hanks 1990, Word association norms, mutual information, and lexicography
CASE WHEN count > 0 AND first_count > 0 AND second_count > 0
     THEN log2(CAST(count AS DOUBLE) * total / first_count / second_count) END
