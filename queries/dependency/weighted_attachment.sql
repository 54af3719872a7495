-- weighted_attachment: labelled attachment with words weighted by their gold relations; one row per scored word.
-- kind: metric
-- parameters: as attachment (gold_corpus, system_corpus, match, punctuation)
-- parameter relations TEXT(universal|full) = universal: how relations are compared, as
--   in attachment; weights are always those of universal relations
-- parameter weights TEXT = : a set of the table relation_weights; if empty, the word dependency entropies of the gold
--   corpus; a relation without a weight has the weight 0.5
-- audit tree_correspondence
-- audit unparsed_gold
-- audit missing_weights
-- column sentence INTEGER: the gold corpus's sentence
-- column word INTEGER: position in the sentence
-- column system_sentence INTEGER: the system's sentence
-- column form VARCHAR: the word
-- column upos VARCHAR: its gold part of speech
-- column gold_deprel VARCHAR: relation in the gold tree
-- column system_deprel VARCHAR: relation in the system's tree
-- column gold_weight DOUBLE: weight of the gold relation
-- column system_weight DOUBLE: weight of the system's relation
-- column correct_weight DOUBLE: weight of the gold relation if head and relation are right, else 0
-- score wlas percent higher = sum(correct_weight) / nullif(sum(gold_weight), 0): weighted labelled attachment score
-- score wlas_precision percent higher = sum(correct_weight) / nullif(sum(system_weight), 0): the same weight as a share
--   of the weight of the system's relations
-- source: on cross-linguistic parser evaluation with Universal Dependencies 1.2 (unpublished draft), section 4.4.2;
--   Zeman et al. 2017, CoNLL 2017 shared task: multilingual parsing from raw text (WeightedLAS)
SELECT s.sentence, s.word, s.system_sentence, s.form, s.upos, s.gold_deprel, s.system_deprel, s.gold_weight,
       s.system_weight, s.correct_edge * s.gold_weight AS correct_weight
FROM (SELECT a.sentence, a.word, a.system_sentence, a.form, a.upos, a.gold_deprel, a.system_deprel,
             CAST(a.correct_edge AS DOUBLE) AS correct_edge,
             coalesce(g.weight, CAST(0.5 AS DOUBLE)) AS gold_weight,
             coalesce(t.weight, CAST(0.5 AS DOUBLE)) AS system_weight
      FROM attachment AS a
      LEFT JOIN chosen_weights AS g ON g.relation = a.gold_udeprel
      LEFT JOIN chosen_weights AS t ON t.relation = a.system_udeprel) AS s
