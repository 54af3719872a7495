-- character_n_grams: n-grams of characters, and if asked of words, that translations share with a reference, the counts of
--   chrF; one row per sentence.
-- kind: metric
-- engine: kernel: shared_character_n_grams counts n-grams
-- parameters: as character_overlaps
-- audit translation_correspondence
-- column sentence INTEGER: its sentence
-- column reference VARCHAR: the corpus of the reference with the best F, if several tie, the first given
-- column char_orders BIGINT: lengths of n-grams of characters that are counted
-- column word_orders BIGINT: lengths of n-grams of words that are counted
-- column scored_lines BIGINT: 1; the options of chrF are part of every row, so that they are those of any sum of rows
-- column recall_weight BIGINT: beta, in units of 10 ** -9
-- column mean_of_f BIGINT: 1 if the F-scores of all orders are averaged
-- column hypothesis_c1 BIGINT: 1-grams of characters of the hypothesis, if the reference has any
-- column reference_c1 BIGINT: those of the reference
-- column shared_c1 BIGINT: those of both
-- column hypothesis_c2 BIGINT: 2-grams of characters of the hypothesis, if the reference has any
-- column reference_c2 BIGINT: those of the reference
-- column shared_c2 BIGINT: those of both
-- column hypothesis_c3 BIGINT: 3-grams of characters of the hypothesis, if the reference has any
-- column reference_c3 BIGINT: those of the reference
-- column shared_c3 BIGINT: those of both
-- column hypothesis_c4 BIGINT: 4-grams of characters of the hypothesis, if the reference has any
-- column reference_c4 BIGINT: those of the reference
-- column shared_c4 BIGINT: those of both
-- column hypothesis_c5 BIGINT: 5-grams of characters of the hypothesis, if the reference has any
-- column reference_c5 BIGINT: those of the reference
-- column shared_c5 BIGINT: those of both
-- column hypothesis_c6 BIGINT: 6-grams of characters of the hypothesis, if the reference has any
-- column reference_c6 BIGINT: those of the reference
-- column shared_c6 BIGINT: those of both
-- column hypothesis_c7 BIGINT: 7-grams of characters of the hypothesis, if the reference has any
-- column reference_c7 BIGINT: those of the reference
-- column shared_c7 BIGINT: those of both
-- column hypothesis_c8 BIGINT: 8-grams of characters of the hypothesis, if the reference has any
-- column reference_c8 BIGINT: those of the reference
-- column shared_c8 BIGINT: those of both
-- column hypothesis_w1 BIGINT: 1-grams of words of the hypothesis, if the reference has any
-- column reference_w1 BIGINT: those of the reference
-- column shared_w1 BIGINT: those of both
-- column hypothesis_w2 BIGINT: 2-grams of words of the hypothesis, if the reference has any
-- column reference_w2 BIGINT: those of the reference
-- column shared_w2 BIGINT: those of both
-- column hypothesis_w3 BIGINT: 3-grams of words of the hypothesis, if the reference has any
-- column reference_w3 BIGINT: those of the reference
-- column shared_w3 BIGINT: those of both
-- column hypothesis_w4 BIGINT: 4-grams of words of the hypothesis, if the reference has any
-- column reference_w4 BIGINT: those of the reference
-- column shared_w4 BIGINT: those of both
-- term beta = CAST(sum(recall_weight) AS DOUBLE) / nullif(1000000000 * sum(scored_lines), 0)
-- term beta_square = {beta} * {beta}
-- term char_orders = sum(char_orders) / sum(scored_lines)
-- term word_orders = sum(word_orders) / sum(scored_lines)
-- term precision_c1 = CASE WHEN sum(hypothesis_c1) > 0 THEN CAST(sum(shared_c1) AS DOUBLE) / sum(hypothesis_c1) ELSE 1e-16 END
-- term recall_c1 = CASE WHEN sum(reference_c1) > 0 THEN CAST(sum(shared_c1) AS DOUBLE) / sum(reference_c1) ELSE 1e-16 END
-- term both_c1 = CASE WHEN sum(hypothesis_c1) > 0 AND sum(reference_c1) > 0 THEN 1 ELSE 0 END
-- term f_c1 = CASE WHEN {char_orders} < 1 THEN 0 WHEN {beta_square} * {precision_c1} + {recall_c1} > 0 THEN
--   (1 + {beta_square}) * {precision_c1} * {recall_c1} / ({beta_square} * {precision_c1} + {recall_c1}) ELSE 1e-16 END
-- term precision_c2 = CASE WHEN sum(hypothesis_c2) > 0 THEN CAST(sum(shared_c2) AS DOUBLE) / sum(hypothesis_c2) ELSE 1e-16 END
-- term recall_c2 = CASE WHEN sum(reference_c2) > 0 THEN CAST(sum(shared_c2) AS DOUBLE) / sum(reference_c2) ELSE 1e-16 END
-- term both_c2 = CASE WHEN sum(hypothesis_c2) > 0 AND sum(reference_c2) > 0 THEN 1 ELSE 0 END
-- term f_c2 = CASE WHEN {char_orders} < 2 THEN 0 WHEN {beta_square} * {precision_c2} + {recall_c2} > 0 THEN
--   (1 + {beta_square}) * {precision_c2} * {recall_c2} / ({beta_square} * {precision_c2} + {recall_c2}) ELSE 1e-16 END
-- term precision_c3 = CASE WHEN sum(hypothesis_c3) > 0 THEN CAST(sum(shared_c3) AS DOUBLE) / sum(hypothesis_c3) ELSE 1e-16 END
-- term recall_c3 = CASE WHEN sum(reference_c3) > 0 THEN CAST(sum(shared_c3) AS DOUBLE) / sum(reference_c3) ELSE 1e-16 END
-- term both_c3 = CASE WHEN sum(hypothesis_c3) > 0 AND sum(reference_c3) > 0 THEN 1 ELSE 0 END
-- term f_c3 = CASE WHEN {char_orders} < 3 THEN 0 WHEN {beta_square} * {precision_c3} + {recall_c3} > 0 THEN
--   (1 + {beta_square}) * {precision_c3} * {recall_c3} / ({beta_square} * {precision_c3} + {recall_c3}) ELSE 1e-16 END
-- term precision_c4 = CASE WHEN sum(hypothesis_c4) > 0 THEN CAST(sum(shared_c4) AS DOUBLE) / sum(hypothesis_c4) ELSE 1e-16 END
-- term recall_c4 = CASE WHEN sum(reference_c4) > 0 THEN CAST(sum(shared_c4) AS DOUBLE) / sum(reference_c4) ELSE 1e-16 END
-- term both_c4 = CASE WHEN sum(hypothesis_c4) > 0 AND sum(reference_c4) > 0 THEN 1 ELSE 0 END
-- term f_c4 = CASE WHEN {char_orders} < 4 THEN 0 WHEN {beta_square} * {precision_c4} + {recall_c4} > 0 THEN
--   (1 + {beta_square}) * {precision_c4} * {recall_c4} / ({beta_square} * {precision_c4} + {recall_c4}) ELSE 1e-16 END
-- term precision_c5 = CASE WHEN sum(hypothesis_c5) > 0 THEN CAST(sum(shared_c5) AS DOUBLE) / sum(hypothesis_c5) ELSE 1e-16 END
-- term recall_c5 = CASE WHEN sum(reference_c5) > 0 THEN CAST(sum(shared_c5) AS DOUBLE) / sum(reference_c5) ELSE 1e-16 END
-- term both_c5 = CASE WHEN sum(hypothesis_c5) > 0 AND sum(reference_c5) > 0 THEN 1 ELSE 0 END
-- term f_c5 = CASE WHEN {char_orders} < 5 THEN 0 WHEN {beta_square} * {precision_c5} + {recall_c5} > 0 THEN
--   (1 + {beta_square}) * {precision_c5} * {recall_c5} / ({beta_square} * {precision_c5} + {recall_c5}) ELSE 1e-16 END
-- term precision_c6 = CASE WHEN sum(hypothesis_c6) > 0 THEN CAST(sum(shared_c6) AS DOUBLE) / sum(hypothesis_c6) ELSE 1e-16 END
-- term recall_c6 = CASE WHEN sum(reference_c6) > 0 THEN CAST(sum(shared_c6) AS DOUBLE) / sum(reference_c6) ELSE 1e-16 END
-- term both_c6 = CASE WHEN sum(hypothesis_c6) > 0 AND sum(reference_c6) > 0 THEN 1 ELSE 0 END
-- term f_c6 = CASE WHEN {char_orders} < 6 THEN 0 WHEN {beta_square} * {precision_c6} + {recall_c6} > 0 THEN
--   (1 + {beta_square}) * {precision_c6} * {recall_c6} / ({beta_square} * {precision_c6} + {recall_c6}) ELSE 1e-16 END
-- term precision_c7 = CASE WHEN sum(hypothesis_c7) > 0 THEN CAST(sum(shared_c7) AS DOUBLE) / sum(hypothesis_c7) ELSE 1e-16 END
-- term recall_c7 = CASE WHEN sum(reference_c7) > 0 THEN CAST(sum(shared_c7) AS DOUBLE) / sum(reference_c7) ELSE 1e-16 END
-- term both_c7 = CASE WHEN sum(hypothesis_c7) > 0 AND sum(reference_c7) > 0 THEN 1 ELSE 0 END
-- term f_c7 = CASE WHEN {char_orders} < 7 THEN 0 WHEN {beta_square} * {precision_c7} + {recall_c7} > 0 THEN
--   (1 + {beta_square}) * {precision_c7} * {recall_c7} / ({beta_square} * {precision_c7} + {recall_c7}) ELSE 1e-16 END
-- term precision_c8 = CASE WHEN sum(hypothesis_c8) > 0 THEN CAST(sum(shared_c8) AS DOUBLE) / sum(hypothesis_c8) ELSE 1e-16 END
-- term recall_c8 = CASE WHEN sum(reference_c8) > 0 THEN CAST(sum(shared_c8) AS DOUBLE) / sum(reference_c8) ELSE 1e-16 END
-- term both_c8 = CASE WHEN sum(hypothesis_c8) > 0 AND sum(reference_c8) > 0 THEN 1 ELSE 0 END
-- term f_c8 = CASE WHEN {char_orders} < 8 THEN 0 WHEN {beta_square} * {precision_c8} + {recall_c8} > 0 THEN
--   (1 + {beta_square}) * {precision_c8} * {recall_c8} / ({beta_square} * {precision_c8} + {recall_c8}) ELSE 1e-16 END
-- term precision_w1 = CASE WHEN sum(hypothesis_w1) > 0 THEN CAST(sum(shared_w1) AS DOUBLE) / sum(hypothesis_w1) ELSE 1e-16 END
-- term recall_w1 = CASE WHEN sum(reference_w1) > 0 THEN CAST(sum(shared_w1) AS DOUBLE) / sum(reference_w1) ELSE 1e-16 END
-- term both_w1 = CASE WHEN sum(hypothesis_w1) > 0 AND sum(reference_w1) > 0 THEN 1 ELSE 0 END
-- term f_w1 = CASE WHEN {word_orders} < 1 THEN 0 WHEN {beta_square} * {precision_w1} + {recall_w1} > 0 THEN
--   (1 + {beta_square}) * {precision_w1} * {recall_w1} / ({beta_square} * {precision_w1} + {recall_w1}) ELSE 1e-16 END
-- term precision_w2 = CASE WHEN sum(hypothesis_w2) > 0 THEN CAST(sum(shared_w2) AS DOUBLE) / sum(hypothesis_w2) ELSE 1e-16 END
-- term recall_w2 = CASE WHEN sum(reference_w2) > 0 THEN CAST(sum(shared_w2) AS DOUBLE) / sum(reference_w2) ELSE 1e-16 END
-- term both_w2 = CASE WHEN sum(hypothesis_w2) > 0 AND sum(reference_w2) > 0 THEN 1 ELSE 0 END
-- term f_w2 = CASE WHEN {word_orders} < 2 THEN 0 WHEN {beta_square} * {precision_w2} + {recall_w2} > 0 THEN
--   (1 + {beta_square}) * {precision_w2} * {recall_w2} / ({beta_square} * {precision_w2} + {recall_w2}) ELSE 1e-16 END
-- term precision_w3 = CASE WHEN sum(hypothesis_w3) > 0 THEN CAST(sum(shared_w3) AS DOUBLE) / sum(hypothesis_w3) ELSE 1e-16 END
-- term recall_w3 = CASE WHEN sum(reference_w3) > 0 THEN CAST(sum(shared_w3) AS DOUBLE) / sum(reference_w3) ELSE 1e-16 END
-- term both_w3 = CASE WHEN sum(hypothesis_w3) > 0 AND sum(reference_w3) > 0 THEN 1 ELSE 0 END
-- term f_w3 = CASE WHEN {word_orders} < 3 THEN 0 WHEN {beta_square} * {precision_w3} + {recall_w3} > 0 THEN
--   (1 + {beta_square}) * {precision_w3} * {recall_w3} / ({beta_square} * {precision_w3} + {recall_w3}) ELSE 1e-16 END
-- term precision_w4 = CASE WHEN sum(hypothesis_w4) > 0 THEN CAST(sum(shared_w4) AS DOUBLE) / sum(hypothesis_w4) ELSE 1e-16 END
-- term recall_w4 = CASE WHEN sum(reference_w4) > 0 THEN CAST(sum(shared_w4) AS DOUBLE) / sum(reference_w4) ELSE 1e-16 END
-- term both_w4 = CASE WHEN sum(hypothesis_w4) > 0 AND sum(reference_w4) > 0 THEN 1 ELSE 0 END
-- term f_w4 = CASE WHEN {word_orders} < 4 THEN 0 WHEN {beta_square} * {precision_w4} + {recall_w4} > 0 THEN
--   (1 + {beta_square}) * {precision_w4} * {recall_w4} / ({beta_square} * {precision_w4} + {recall_w4}) ELSE 1e-16 END
-- term orders = {both_c1} + {both_c2} + {both_c3} + {both_c4} + {both_c5} + {both_c6} + {both_c7} + {both_c8} + {both_w1} +
--   {both_w2} + {both_w3} + {both_w4}
-- term mean_precision = ({both_c1} * {precision_c1} + {both_c2} * {precision_c2} + {both_c3} * {precision_c3} +
--   {both_c4} * {precision_c4} + {both_c5} * {precision_c5} + {both_c6} * {precision_c6} + {both_c7} * {precision_c7} +
--   {both_c8} * {precision_c8} + {both_w1} * {precision_w1} + {both_w2} * {precision_w2} + {both_w3} * {precision_w3} +
--   {both_w4} * {precision_w4}) / nullif({orders}, 0)
-- term mean_recall = ({both_c1} * {recall_c1} + {both_c2} * {recall_c2} + {both_c3} * {recall_c3} +
--   {both_c4} * {recall_c4} + {both_c5} * {recall_c5} + {both_c6} * {recall_c6} + {both_c7} * {recall_c7} +
--   {both_c8} * {recall_c8} + {both_w1} * {recall_w1} + {both_w2} * {recall_w2} + {both_w3} * {recall_w3} +
--   {both_w4} * {recall_w4}) / nullif({orders}, 0)
-- term mean_f = ({f_c1} + {f_c2} + {f_c3} + {f_c4} + {f_c5} + {f_c6} + {f_c7} + {f_c8} + {f_w1} + {f_w2} + {f_w3} + {f_w4}) / nullif({char_orders} + {word_orders}, 0)
-- term f_score = CASE WHEN sum(mean_of_f) > 0 THEN {mean_f} WHEN {mean_precision} + {mean_recall} > 0 THEN
--   (1 + {beta_square}) * {mean_precision} * {mean_recall} / ({beta_square} * {mean_precision} + {mean_recall})
--   WHEN sum(scored_lines) > 0 THEN CAST(0 AS DOUBLE) END
-- score chrf percent higher = {f_score}: chrF, the F-score of n-grams of characters
-- source: Popović 2015, chrF: character n-gram F-score for automatic MT evaluation (as in sacrebleu 2.6)
SELECT o.sentence, o.reference, o.char_orders, o.word_orders, CAST(1 AS BIGINT) AS scored_lines,
       CAST(round(CAST($beta AS DOUBLE) * 1000000000) AS BIGINT) AS recall_weight,
       CAST(CASE WHEN $eps_smoothing = 'yes' THEN 1 ELSE 0 END AS BIGINT) AS mean_of_f,
       coalesce(o.n_gram_counts[1], 0) AS hypothesis_c1, coalesce(o.n_gram_counts[2], 0) AS reference_c1, coalesce(o.n_gram_counts[3], 0) AS shared_c1,
       coalesce(o.n_gram_counts[4], 0) AS hypothesis_c2, coalesce(o.n_gram_counts[5], 0) AS reference_c2, coalesce(o.n_gram_counts[6], 0) AS shared_c2,
       coalesce(o.n_gram_counts[7], 0) AS hypothesis_c3, coalesce(o.n_gram_counts[8], 0) AS reference_c3, coalesce(o.n_gram_counts[9], 0) AS shared_c3,
       coalesce(o.n_gram_counts[10], 0) AS hypothesis_c4, coalesce(o.n_gram_counts[11], 0) AS reference_c4, coalesce(o.n_gram_counts[12], 0) AS shared_c4,
       coalesce(o.n_gram_counts[13], 0) AS hypothesis_c5, coalesce(o.n_gram_counts[14], 0) AS reference_c5, coalesce(o.n_gram_counts[15], 0) AS shared_c5,
       coalesce(o.n_gram_counts[16], 0) AS hypothesis_c6, coalesce(o.n_gram_counts[17], 0) AS reference_c6, coalesce(o.n_gram_counts[18], 0) AS shared_c6,
       coalesce(o.n_gram_counts[19], 0) AS hypothesis_c7, coalesce(o.n_gram_counts[20], 0) AS reference_c7, coalesce(o.n_gram_counts[21], 0) AS shared_c7,
       coalesce(o.n_gram_counts[22], 0) AS hypothesis_c8, coalesce(o.n_gram_counts[23], 0) AS reference_c8, coalesce(o.n_gram_counts[24], 0) AS shared_c8,
       coalesce(o.n_gram_counts[25], 0) AS hypothesis_w1, coalesce(o.n_gram_counts[26], 0) AS reference_w1, coalesce(o.n_gram_counts[27], 0) AS shared_w1,
       coalesce(o.n_gram_counts[28], 0) AS hypothesis_w2, coalesce(o.n_gram_counts[29], 0) AS reference_w2, coalesce(o.n_gram_counts[30], 0) AS shared_w2,
       coalesce(o.n_gram_counts[31], 0) AS hypothesis_w3, coalesce(o.n_gram_counts[32], 0) AS reference_w3, coalesce(o.n_gram_counts[33], 0) AS shared_w3,
       coalesce(o.n_gram_counts[34], 0) AS hypothesis_w4, coalesce(o.n_gram_counts[35], 0) AS reference_w4, coalesce(o.n_gram_counts[36], 0) AS shared_w4
FROM character_overlaps AS o
