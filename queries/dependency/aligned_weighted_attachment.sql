-- aligned_weighted_attachment: labelled attachment with words weighted by their relations, for a system whose words and
--   sentences may differ from the gold ones; one row per aligned pair, and per word of either side without a
--   counterpart.
-- kind: metric
-- engine: kernel: aligned_words aligns words
-- parameters: as attachment (gold_corpus, system_corpus)
-- parameters: as aligned_attachment (punctuation)
-- parameter relations TEXT(universal|full) = universal: how relations are compared, as in
--   aligned_attachment; their weights are always those of universal relations
-- parameters: as weighted_attachment (weights)
-- audit counterpart_correspondence
-- audit unparsed_gold
-- audit missing_weights
-- columns: as aligned_attachment (sentence, word, system_sentence, system_word, form, upos, gold_deprel, system_deprel)
-- column gold_weight DOUBLE: weight of the gold relation; 0 without a gold word
-- column system_weight DOUBLE: weight of the system's relation; 0 without a word of the system
-- columns: as weighted_attachment (correct_weight)
-- score wlas percent higher = 2 * sum(correct_weight) / nullif(sum(gold_weight) + sum(system_weight), 0): weighted
--   labelled attachment score, F1
-- score wlas_precision percent higher = sum(correct_weight) / nullif(sum(system_weight), 0): correct share of the
--   system's weight
-- score wlas_recall percent higher = sum(correct_weight) / nullif(sum(gold_weight), 0): correct share of the gold
--   weight
-- source: on cross-linguistic parser evaluation with Universal Dependencies 1.2 (unpublished draft), section 4.4.2;
--   Zeman et al. 2017, CoNLL 2017 shared task: multilingual parsing from raw text (WeightedLAS)
SELECT a.sentence, a.word, a.system_sentence, a.system_word, a.form, a.upos, a.gold_deprel, a.system_deprel,
       a.gold_words * coalesce(g.weight, CAST(0.5 AS DOUBLE)) AS gold_weight,
       a.system_words * coalesce(s.weight, CAST(0.5 AS DOUBLE)) AS system_weight,
       a.correct_edge * coalesce(g.weight, CAST(0.5 AS DOUBLE)) AS correct_weight
FROM aligned_attachment AS a
LEFT JOIN chosen_weights AS g ON g.relation = a.gold_udeprel
LEFT JOIN chosen_weights AS s ON s.relation = a.system_udeprel
