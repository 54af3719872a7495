-- aligned_class_scores: precision and recall of content and function relations for a system whose words and sentences
--   may differ from the gold ones; one row per aligned pair, and per word of either side without a counterpart.
-- kind: metric
-- engine: kernel: aligned_words aligns words
-- parameters: as attachment (gold_corpus, system_corpus)
-- parameters: as aligned_attachment (punctuation)
-- parameter relations TEXT(universal|full) = universal: how relations are compared, as in
--   aligned_attachment; their classes are always those of universal relations
-- audit counterpart_correspondence
-- audit unparsed_gold
-- columns: as aligned_attachment (sentence, word, system_sentence, system_word, form, upos, gold_deprel, system_deprel)
-- columns: as relation_class_scores (gold_content, predicted_content, correct_content)
-- columns: as relation_class_scores (gold_function, predicted_function, correct_function)
-- scores: as relation_class_scores
-- source: on cross-linguistic parser evaluation with Universal Dependencies 1.2 (unpublished draft), section 4.4.1
SELECT a.sentence, a.word, a.system_sentence, a.system_word, a.form, a.upos, a.gold_deprel, a.system_deprel,
       coalesce(g.content, 0) AS gold_content,
       coalesce(s.content, 0) AS predicted_content, a.correct_edge * coalesce(g.content, 0) AS correct_content,
       coalesce(g.function, 0) AS gold_function, coalesce(s.function, 0) AS predicted_function,
       a.correct_edge * coalesce(g.function, 0) AS correct_function
FROM aligned_attachment AS a
LEFT JOIN class_members AS g ON g.relation = a.gold_udeprel
LEFT JOIN class_members AS s ON s.relation = a.system_udeprel
