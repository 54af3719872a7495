-- weighted_attachment: labelled attachment with words weighted by their gold relations; one row per scored pair of words,
--   and per word of either side without a counterpart.
-- kind: metric
-- parameters: as attachment (gold_corpus, system_corpus, match, punctuation)
-- parameter relations TEXT(universal|full) = universal: how relations are compared, as
--   in attachment; weights are always those of universal relations
-- parameter weights TEXT = : a set of the table relation_weights; if empty, the word dependency entropies of the gold
--   corpus; a relation without a weight has the weight 0.5
-- audit tree_correspondence
-- audit unparsed_gold
-- audit missing_weights
-- columns: as attachment (sentence, word, system_sentence, system_word, form, upos, gold_deprel, system_deprel)
-- column gold_weight DOUBLE: weight of the gold relation; 0 without a gold word
-- column system_weight DOUBLE: weight of the system's relation; 0 without a word of the system
-- column correct_weight DOUBLE: weight of the gold relation if head and relation are right, else 0
-- columns: as attachment (by_characters)
-- compares form: gold_weight, system_weight, correct_weight
-- score wlas percent higher = CASE WHEN sum(by_characters) > 0 THEN 2 * sum(correct_weight) / nullif(sum(gold_weight) +
--   sum(system_weight), 0) ELSE sum(correct_weight) / nullif(sum(gold_weight), 0) END: weighted labelled attachment
--   score; F1 where words differ
-- score wlas_precision percent higher = sum(correct_weight) / nullif(sum(system_weight), 0): weight of the right edges
--   as a share of the weight of the system's relations
-- score wlas_recall percent higher = sum(correct_weight) / nullif(sum(gold_weight), 0): weight of the right edges as a
--   share of the weight of the gold relations; wlas where the words are the same
-- source: on cross-linguistic parser evaluation with Universal Dependencies 1.2 (unpublished draft), section 4.4.2;
--   Zeman et al. 2017, CoNLL 2017 shared task: multilingual parsing from raw text (WeightedLAS)
SELECT a.sentence, a.word, a.system_sentence, a.system_word, a.form, a.upos, a.gold_deprel, a.system_deprel,
       a.gold_words * coalesce(g.weight, CAST(0.5 AS DOUBLE)) AS gold_weight,
       a.system_words * coalesce(s.weight, CAST(0.5 AS DOUBLE)) AS system_weight,
       a.correct_edge * coalesce(g.weight, CAST(0.5 AS DOUBLE)) AS correct_weight, a.by_characters
FROM attachment AS a
LEFT JOIN chosen_weights AS g ON g.relation = a.gold_udeprel
LEFT JOIN chosen_weights AS s ON s.relation = a.system_udeprel
