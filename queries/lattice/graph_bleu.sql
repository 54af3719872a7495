-- graph_bleu: BLEU counts of the path of every lattice with the best sentence BLEU; one row per lattice.
-- kind: metric
-- engine: kernel: best_bleu_path finds the path
-- parameters: as oracle_paths (lattice_corpus, reference_corpus, other_corpora, empty_references)
-- audit lattice_correspondence
-- column sentence INTEGER: its lattice
-- column reference VARCHAR: the corpus of the reference whose length is closest to the path's
-- count gbleu_proven BIGINT: 1 if it is proven that no path has a better sentence BLEU, 0 if one may have
-- count gbleu_unproven BIGINT: the opposite of gbleu_proven: 1 if a better path may exist
-- column most_bleu DOUBLE: upper bound of the sentence BLEU of all paths
-- columns: as n_gram_matches (matches_1, n_grams_1, matches_2, n_grams_2, matches_3, n_grams_3, matches_4, n_grams_4)
-- columns: as n_gram_matches (hypothesis_words, closest_words)
-- terms: as n_gram_matches (brevity, matches, none_1, none_2, none_3, none_4, log_1, log_2, log_3, log_4)
-- score gbleu percent higher = CASE WHEN {matches} = 0 OR sum(n_grams_4) = 0 THEN CAST(0 AS DOUBLE)
--   ELSE {brevity} * exp(({log_1} + {log_2} + {log_3} + {log_4}) / 4) END: BLEU of the paths with the best sentence BLEU,
--   computed from the sums of their counts
-- score gbleu_effective percent higher = CASE WHEN {matches} = 0 THEN CAST(0 AS DOUBLE) WHEN sum(n_grams_4) > 0 THEN
--   {brevity} * exp(({log_1} + {log_2} + {log_3} + {log_4}) / 4) WHEN sum(n_grams_3) > 0 THEN {brevity} * exp(({log_1}
--   + {log_2} + {log_3}) / 3) WHEN sum(n_grams_2) > 0 THEN {brevity} * exp(({log_1} + {log_2}) / 2) ELSE {brevity} *
--   exp({log_1}) END: gbleu over only those orders that have n-grams: what is largest for each lattice
-- source: Zens & Ney 2005, Word graphs for statistical machine translation (GBLEU); Bernreuther 2005, Lattice evaluation
--   techniques, 2.1; Sokolov, Wisniewski & Yvon 2012, Computing lattice BLEU oracle scores for machine translation
SELECT o.sentence, o.reference, CAST(CASE WHEN o.proven THEN 1 ELSE 0 END AS BIGINT) AS gbleu_proven,
       CAST(CASE WHEN o.proven THEN 0 ELSE 1 END AS BIGINT) AS gbleu_unproven, o.most_bleu,
       CAST(o.path_matches[1] AS BIGINT) AS matches_1, CAST(o.path_words AS BIGINT) AS n_grams_1,
       CAST(o.path_matches[2] AS BIGINT) AS matches_2, CAST(greatest(o.path_words - 1, 0) AS BIGINT) AS n_grams_2,
       CAST(o.path_matches[3] AS BIGINT) AS matches_3, CAST(greatest(o.path_words - 2, 0) AS BIGINT) AS n_grams_3,
       CAST(o.path_matches[4] AS BIGINT) AS matches_4, CAST(greatest(o.path_words - 3, 0) AS BIGINT) AS n_grams_4,
       CAST(o.path_words AS BIGINT) AS hypothesis_words, CAST(o.closest_length AS BIGINT) AS closest_words
FROM bleu_paths AS o
