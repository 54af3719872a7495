-- graph_bleu: BLEU counts of the path of every lattice with the best sentence BLEU; one row per lattice.
-- kind: metric
-- engine: kernel: best_bleu_path finds the path
-- parameters: as tau_span (lattice_corpus, reference_corpus, other_corpora)
-- audit lattice_correspondence
-- column sentence INTEGER: its lattice
-- column reference VARCHAR: the corpus of the reference whose length is closest to the path's
-- count gbleu_proven BIGINT: 1 if it is proven that no path has a better sentence BLEU, 0 if one may have
-- count gbleu_unproven BIGINT: the opposite of gbleu_proven: 1 if a better path may exist
-- column most_bleu DOUBLE: upper bound of the sentence BLEU of all paths
-- column gbleu_matches_1 BIGINT: 1-grams of the path that also occur in a reference, clipped by the largest count in a reference
-- column gbleu_n_grams_1 BIGINT: 1-grams of the path
-- column gbleu_matches_2 BIGINT: 2-grams of the path that also occur in a reference, clipped by the largest count in a reference
-- column gbleu_n_grams_2 BIGINT: 2-grams of the path
-- column gbleu_matches_3 BIGINT: 3-grams of the path that also occur in a reference, clipped by the largest count in a reference
-- column gbleu_n_grams_3 BIGINT: 3-grams of the path
-- column gbleu_matches_4 BIGINT: 4-grams of the path that also occur in a reference, clipped by the largest count in a reference
-- column gbleu_n_grams_4 BIGINT: 4-grams of the path
-- column gbleu_words BIGINT: words of the path
-- column gbleu_closest_words BIGINT: words of the reference whose length is closest, the shorter if two tie
-- term brevity = CASE WHEN sum(gbleu_words) = 0 AND sum(gbleu_closest_words) > 0 THEN 0.0
--   WHEN sum(gbleu_words) < sum(gbleu_closest_words)
--   THEN exp(1 - CAST(sum(gbleu_closest_words) AS DOUBLE) / sum(gbleu_words))
--   WHEN sum(gbleu_words) >= sum(gbleu_closest_words) THEN CAST(1 AS DOUBLE) END
-- term matches = sum(gbleu_matches_1) + sum(gbleu_matches_2) + sum(gbleu_matches_3) + sum(gbleu_matches_4)
-- term none_1 = CASE WHEN sum(gbleu_matches_1) = 0 THEN 1 ELSE 0 END
-- term none_2 = CASE WHEN sum(gbleu_matches_2) = 0 THEN 1 ELSE 0 END
-- term none_3 = CASE WHEN sum(gbleu_matches_3) = 0 THEN 1 ELSE 0 END
-- term none_4 = CASE WHEN sum(gbleu_matches_4) = 0 THEN 1 ELSE 0 END
-- term log_1 = CASE WHEN sum(gbleu_matches_1) > 0 THEN ln(CAST(sum(gbleu_matches_1) AS DOUBLE) / sum(gbleu_n_grams_1))
--   ELSE - ln(CAST(2 AS DOUBLE)) * {none_1} - ln(CAST(nullif(sum(gbleu_n_grams_1), 0) AS DOUBLE)) END
-- term log_2 = CASE WHEN sum(gbleu_matches_2) > 0 THEN ln(CAST(sum(gbleu_matches_2) AS DOUBLE) / sum(gbleu_n_grams_2))
--   ELSE - ln(CAST(2 AS DOUBLE)) * ({none_1} + {none_2}) - ln(CAST(nullif(sum(gbleu_n_grams_2), 0) AS DOUBLE)) END
-- term log_3 = CASE WHEN sum(gbleu_matches_3) > 0 THEN ln(CAST(sum(gbleu_matches_3) AS DOUBLE) / sum(gbleu_n_grams_3))
--   ELSE - ln(CAST(2 AS DOUBLE)) * ({none_1} + {none_2} + {none_3}) - ln(CAST(nullif(sum(gbleu_n_grams_3), 0) AS DOUBLE)) END
-- term log_4 = CASE WHEN sum(gbleu_matches_4) > 0 THEN ln(CAST(sum(gbleu_matches_4) AS DOUBLE) / sum(gbleu_n_grams_4))
--   ELSE - ln(CAST(2 AS DOUBLE)) * ({none_1} + {none_2} + {none_3} + {none_4}) - ln(CAST(nullif(sum(gbleu_n_grams_4), 0) AS DOUBLE)) END
-- score gbleu percent higher = CASE WHEN {matches} = 0 OR sum(gbleu_n_grams_4) = 0 THEN CAST(0 AS DOUBLE)
--   ELSE {brevity} * exp(({log_1} + {log_2} + {log_3} + {log_4}) / 4) END: BLEU of the paths with the best sentence BLEU, computed
--   from the sums of their counts
-- score gbleu_effective percent higher = CASE WHEN {matches} = 0 THEN CAST(0 AS DOUBLE) WHEN sum(gbleu_n_grams_4) > 0 THEN
--   {brevity} * exp(({log_1} + {log_2} + {log_3} + {log_4}) / 4) WHEN sum(gbleu_n_grams_3) > 0 THEN {brevity} * exp(({log_1}
--   + {log_2} + {log_3}) / 3) WHEN sum(gbleu_n_grams_2) > 0 THEN {brevity} * exp(({log_1} + {log_2}) / 2) ELSE {brevity} *
--   exp({log_1}) END: the same over only those orders that have n-grams: what is largest for each lattice
-- source: Zens & Ney 2005, Word graphs for statistical machine translation (GBLEU); Bernreuther 2005, Lattice evaluation
--   techniques, 2.1; Sokolov, Wisniewski & Yvon 2012, Lattice BLEU oracles in machine translation
SELECT o.sentence, o.reference, CAST(CASE WHEN o.proven THEN 1 ELSE 0 END AS BIGINT) AS gbleu_proven,
       CAST(CASE WHEN o.proven THEN 0 ELSE 1 END AS BIGINT) AS gbleu_unproven, o.most_bleu,
       CAST(o.path_matches[1] AS BIGINT) AS gbleu_matches_1, CAST(o.path_words AS BIGINT) AS gbleu_n_grams_1,
       CAST(o.path_matches[2] AS BIGINT) AS gbleu_matches_2, CAST(CASE WHEN o.path_words > 1 THEN o.path_words - 1 ELSE 0 END AS BIGINT) AS gbleu_n_grams_2,
       CAST(o.path_matches[3] AS BIGINT) AS gbleu_matches_3, CAST(CASE WHEN o.path_words > 2 THEN o.path_words - 2 ELSE 0 END AS BIGINT) AS gbleu_n_grams_3,
       CAST(o.path_matches[4] AS BIGINT) AS gbleu_matches_4, CAST(CASE WHEN o.path_words > 3 THEN o.path_words - 3 ELSE 0 END AS BIGINT) AS gbleu_n_grams_4,
       CAST(o.path_words AS BIGINT) AS gbleu_words, CAST(o.closest_length AS BIGINT) AS gbleu_closest_words
FROM bleu_paths AS o
