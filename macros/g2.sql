-- g2: the evidence that two values are not independent, the log-likelihood statistic G2.
-- kind: function
-- parameter count BIGINT: number of pairs with both values
-- parameter first_count BIGINT: number of pairs with the first value
-- parameter second_count BIGINT: number of pairs with the second value
-- parameter total BIGINT: number of all pairs
-- column g2 DOUBLE: 2 * the sum of o ln(o / e) over the four cells of the table of pairs with and without each value,
--   where o is the number of pairs, e the number to expect from independent values, and a cell without pairs adds 0;
--   above 3.84 for p < 0.05, above 15.13 for p < 0.0001; NULL without pairs
-- source: Dunning 1993, Accurate methods for the statistics of surprise and coincidence
CASE WHEN total > 0 THEN greatest(2 * list_sum(list_transform(
  [{'observed': count, 'row': first_count, 'col': second_count},
   {'observed': first_count - count, 'row': first_count, 'col': total - second_count},
   {'observed': second_count - count, 'row': total - first_count, 'col': second_count},
   {'observed': total - first_count - second_count + count, 'row': total - first_count, 'col': total - second_count}],
  lambda cell: CASE WHEN cell.observed > 0 THEN cell.observed * ln(CAST(cell.observed AS DOUBLE) * total / cell.row / cell.col)
                    ELSE CAST(0 AS DOUBLE) END)), CAST(0 AS DOUBLE)) END
