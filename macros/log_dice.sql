-- log_dice: logDice, an association of two values that does not depend on the size of the corpus.
-- kind: function
-- parameter count BIGINT: number of pairs with both values
-- parameter first_count BIGINT: number of pairs with the first value
-- parameter second_count BIGINT: number of pairs with the second value
-- column score DOUBLE: 14 + log2(2 * count / (first_count + second_count)), at most 14; NULL for a count of 0
-- source: Rychlý 2008, A lexicographer-friendly association score
CASE WHEN count > 0 THEN 14 + log2(CAST(2 * count AS DOUBLE) / (first_count + second_count)) END
