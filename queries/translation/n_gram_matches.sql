-- n_gram_matches: n-grams of translations that occur in a reference, the counts of BLEU; one row per sentence.
-- kind: metric
-- engine: kernel: shared_word_n_grams counts n-grams
-- parameters: as position_independent_errors
-- parameter tokenize TEXT(none|13a|intl|zh|char) = none: how words are found: none: words as they stand in the files, separated
--   also at the white space of Unicode; else by this tokenisation of sacrebleu, in the text
-- parameter smooth TEXT(exp|none|floor|add-k) = exp: smoothing of BLEU, by its name in sacrebleu
-- parameter smooth_value DOUBLE(0..1000) = 0: value of floor and add-k; 0: 0.1 for floor, 1 for add-k
-- audit translation_correspondence
-- column sentence INTEGER: its sentence
-- column matches_1 BIGINT: 1-grams that also occur in a reference, clipped by the largest count in a reference
-- column n_grams_1 BIGINT: 1-grams of the hypothesis
-- column matches_2 BIGINT: 2-grams that also occur in a reference, clipped by the largest count in a reference
-- column n_grams_2 BIGINT: 2-grams of the hypothesis
-- column matches_3 BIGINT: 3-grams that also occur in a reference, clipped by the largest count in a reference
-- column n_grams_3 BIGINT: 3-grams of the hypothesis
-- column matches_4 BIGINT: 4-grams that also occur in a reference, clipped by the largest count in a reference
-- column n_grams_4 BIGINT: 4-grams of the hypothesis
-- column hypothesis_words BIGINT: words of the hypothesis
-- column closest_words BIGINT: words of the reference whose length is closest, the shorter if two tie
-- column smoothed_lines BIGINT: 1; the smoothing is part of every row, so that it is that of any sum of rows
-- column exponential BIGINT: 1 with exponential smoothing
-- column added BIGINT: what add-k adds, in units of 10 ** -9
-- column floored BIGINT: what floor has for no match, in units of 10 ** -9
-- term brevity = CASE WHEN sum(hypothesis_words) = 0 AND sum(closest_words) > 0 THEN 0.0
--   WHEN sum(hypothesis_words) < sum(closest_words)
--   THEN exp(1 - CAST(sum(closest_words) AS DOUBLE) / sum(hypothesis_words))
--   WHEN sum(hypothesis_words) >= sum(closest_words) THEN CAST(1 AS DOUBLE) END
-- term matches = sum(matches_1) + sum(matches_2) + sum(matches_3) + sum(matches_4)
-- term none_1 = CASE WHEN sum(matches_1) = 0 THEN 1 ELSE 0 END
-- term none_2 = CASE WHEN sum(matches_2) = 0 THEN 1 ELSE 0 END
-- term none_3 = CASE WHEN sum(matches_3) = 0 THEN 1 ELSE 0 END
-- term none_4 = CASE WHEN sum(matches_4) = 0 THEN 1 ELSE 0 END
-- term log_1 = CASE WHEN sum(matches_1) > 0 THEN ln(CAST(sum(matches_1) AS DOUBLE) / sum(n_grams_1))
--   ELSE - ln(CAST(2 AS DOUBLE)) * {none_1} - ln(CAST(nullif(sum(n_grams_1), 0) AS DOUBLE)) END
-- term log_2 = CASE WHEN sum(matches_2) > 0 THEN ln(CAST(sum(matches_2) AS DOUBLE) / sum(n_grams_2))
--   ELSE - ln(CAST(2 AS DOUBLE)) * ({none_1} + {none_2}) - ln(CAST(nullif(sum(n_grams_2), 0) AS DOUBLE)) END
-- term log_3 = CASE WHEN sum(matches_3) > 0 THEN ln(CAST(sum(matches_3) AS DOUBLE) / sum(n_grams_3))
--   ELSE - ln(CAST(2 AS DOUBLE)) * ({none_1} + {none_2} + {none_3}) - ln(CAST(nullif(sum(n_grams_3), 0) AS DOUBLE)) END
-- term log_4 = CASE WHEN sum(matches_4) > 0 THEN ln(CAST(sum(matches_4) AS DOUBLE) / sum(n_grams_4))
--   ELSE - ln(CAST(2 AS DOUBLE)) * ({none_1} + {none_2} + {none_3} + {none_4}) - ln(CAST(nullif(sum(n_grams_4), 0) AS DOUBLE)) END
-- term k = CAST(sum(added) AS DOUBLE) / nullif(1000000000 * sum(smoothed_lines), 0)
-- term floor = CAST(sum(floored) AS DOUBLE) / nullif(1000000000 * sum(smoothed_lines), 0)
-- term smooth_1 = CASE WHEN sum(exponential) > 0 THEN {log_1} WHEN sum(matches_1) > 0
--   THEN ln(CAST(sum(matches_1) AS DOUBLE) / sum(n_grams_1)) WHEN sum(n_grams_1) > 0 AND {floor} > 0
--   THEN ln({floor} / sum(n_grams_1)) ELSE CAST(-9999999999 AS DOUBLE) END
-- term smooth_2 = CASE WHEN sum(exponential) > 0 THEN {log_2} WHEN sum(matches_2) + {k} > 0
--   THEN ln((sum(matches_2) + {k}) / (sum(n_grams_2) + {k})) WHEN sum(n_grams_2) > 0 AND {floor} > 0
--   THEN ln({floor} / sum(n_grams_2)) ELSE CAST(-9999999999 AS DOUBLE) END
-- term smooth_3 = CASE WHEN sum(exponential) > 0 THEN {log_3} WHEN sum(matches_3) + {k} > 0
--   THEN ln((sum(matches_3) + {k}) / (sum(n_grams_3) + {k})) WHEN sum(n_grams_3) > 0 AND {floor} > 0
--   THEN ln({floor} / sum(n_grams_3)) ELSE CAST(-9999999999 AS DOUBLE) END
-- term smooth_4 = CASE WHEN sum(exponential) > 0 THEN {log_4} WHEN sum(matches_4) + {k} > 0
--   THEN ln((sum(matches_4) + {k}) / (sum(n_grams_4) + {k})) WHEN sum(n_grams_4) > 0 AND {floor} > 0
--   THEN ln({floor} / sum(n_grams_4)) ELSE CAST(-9999999999 AS DOUBLE) END
-- score bleu percent higher = CASE WHEN {matches} = 0 OR (sum(n_grams_4) = 0 AND {k} = 0) THEN CAST(0 AS DOUBLE)
--   ELSE {brevity} * exp(({smooth_1} + {smooth_2} + {smooth_3} + {smooth_4}) / 4) END: BLEU, as sacrebleu has it for a corpus
-- score bleu_effective percent higher = CASE WHEN {matches} = 0 THEN CAST(0 AS DOUBLE)
--   WHEN sum(n_grams_4) > 0 OR {k} > 0 THEN {brevity} * exp(({smooth_1} + {smooth_2} + {smooth_3} + {smooth_4}) / 4)
--   WHEN sum(n_grams_3) > 0 THEN {brevity} * exp(({smooth_1} + {smooth_2} + {smooth_3}) / 3)
--   WHEN sum(n_grams_2) > 0 THEN {brevity} * exp(({smooth_1} + {smooth_2}) / 2) ELSE {brevity} * exp({smooth_1}) END: the same
--   over only those orders that have n-grams, as sacrebleu has it for single sentences
-- score n_gram_precision_1 percent higher = sum(matches_1) / nullif(sum(n_grams_1), 0): share of 1-grams that match
-- score n_gram_precision_2 percent higher = sum(matches_2) / nullif(sum(n_grams_2), 0): share of 2-grams that match
-- score n_gram_precision_3 percent higher = sum(matches_3) / nullif(sum(n_grams_3), 0): share of 3-grams that match
-- score n_gram_precision_4 percent higher = sum(matches_4) / nullif(sum(n_grams_4), 0): share of 4-grams that match
-- score brevity_penalty percent neither = {brevity}: factor of BLEU for short translations
-- source: Papineni et al. 2002, BLEU: a method for automatic evaluation of machine translation; Chen & Cherry 2014, A
--   systematic comparison of smoothing techniques (exponential smoothing); Post 2018, A call for clarity in reporting BLEU
SELECT t.sentence, t.counts[3] AS matches_1, t.counts[1] AS n_grams_1,
       t.counts[4] AS matches_2, greatest(t.counts[1] - 1, 0) AS n_grams_2, t.counts[5] AS matches_3,
       greatest(t.counts[1] - 2, 0) AS n_grams_3, t.counts[6] AS matches_4, greatest(t.counts[1] - 3, 0) AS n_grams_4,
       t.counts[1] AS hypothesis_words, t.counts[2] AS closest_words, CAST(1 AS BIGINT) AS smoothed_lines,
       CAST(CASE WHEN $smooth = 'exp' THEN 1 ELSE 0 END AS BIGINT) AS exponential,
       CAST(CASE WHEN $smooth <> 'add-k' THEN 0 WHEN $smooth_value > 0 THEN round(CAST($smooth_value AS DOUBLE) * 1000000000)
            ELSE 1000000000 END AS BIGINT) AS added,
       CAST(CASE WHEN $smooth <> 'floor' THEN 0 WHEN $smooth_value > 0 THEN round(CAST($smooth_value AS DOUBLE) * 1000000000)
            ELSE 100000000 END AS BIGINT) AS floored
FROM (SELECT h.sentence, shared_word_n_grams(h.words_text, r.reference_texts, CAST(4 AS INTEGER)) AS counts
      FROM tokenised_texts(reference_corpus := $hypothesis_corpus, other_corpora := '') AS h
      JOIN (SELECT o.sentence, [o.words_text] AS reference_texts
            FROM tokenised_texts(numbered_as := $hypothesis_corpus) AS o
            WHERE $other_corpora = ''
            UNION ALL
            SELECT s.sentence, list(s.words_text ORDER BY s.reference_rank) AS reference_texts
            FROM tokenised_texts(numbered_as := $hypothesis_corpus) AS s
            WHERE $other_corpora <> ''
            GROUP BY s.sentence) AS r ON r.sentence = h.sentence) AS t
