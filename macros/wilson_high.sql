-- wilson_high: the upper end of the 95% interval of a share.
-- kind: function
-- parameter count BIGINT: number of what has the property
-- parameter total BIGINT: number of all
-- column share DOUBLE: (p + z² / 2n + z √(p (1 - p) / n + z² / 4n²)) / (1 + z² / n), p = count / total, n = total, z = 1.96; NULL
--   of no total
-- source: Wilson 1927, Probable inference, the law of succession, and statistical inference
(count + 1.9207294103470997 + 1.959963984540054 * sqrt(CAST(count AS DOUBLE) * (total - count) / nullif(total, 0) + 0.9603647051735499)) / (total + 3.8414588206941994)
