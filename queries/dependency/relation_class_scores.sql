-- relation_class_scores: precision and recall of content and function relations; one row per scored pair of words,
--   and per word of either side without a counterpart.
-- kind: metric
-- parameters: as attachment (gold_corpus, system_corpus, match, punctuation)
-- parameter relations TEXT(universal|full) = universal: how relations are compared, as
--   in attachment; their classes are always those of universal relations
-- audit tree_correspondence
-- audit unparsed_gold
-- columns: as attachment (sentence, word, system_sentence, system_word, form, upos, gold_deprel, system_deprel)
-- column gold_class VARCHAR: class of the gold relation, from the table relation_classes; other if the table lacks it,
--   NULL without a gold word
-- column system_class VARCHAR: class of the system's relation; likewise
-- column gold_content BIGINT: 1 if the gold relation is a content relation
-- column predicted_content BIGINT: 1 if the system's relation is a content relation
-- column correct_content BIGINT: 1 if the gold relation is a content relation, and head and relation are right
-- column gold_function BIGINT: 1 if the gold relation is a function relation
-- column predicted_function BIGINT: 1 if the system's relation is a function relation
-- column correct_function BIGINT: 1 if the gold relation is a function relation, and head and relation are right
-- score content_precision percent higher = sum(correct_content) / nullif(sum(predicted_content), 0): share of the words that the
--   system gives a content relation whose head and relation are right
-- score content_recall percent higher = sum(correct_content) / nullif(sum(gold_content), 0): share of the words with a gold content
--   relation whose head and relation are right
-- score function_precision percent higher = sum(correct_function) / nullif(sum(predicted_function), 0):
--   share of the words that the system gives a function relation whose head and relation are right
-- score function_recall percent higher = sum(correct_function) / nullif(sum(gold_function), 0): share of the words with a
--   gold function relation whose head and relation are right
-- source: on cross-linguistic parser evaluation with Universal Dependencies 1.2 (unpublished draft), section 4.4.1
SELECT a.sentence, a.word, a.system_sentence, a.system_word, a.form, a.upos, a.gold_deprel, a.system_deprel,
       CASE WHEN a.gold_words = 1 THEN coalesce(g.class, 'other') END AS gold_class,
       CASE WHEN a.system_words = 1 THEN coalesce(s.class, 'other') END AS system_class,
       coalesce(g.content, 0) AS gold_content,
       coalesce(s.content, 0) AS predicted_content, a.correct_edge * coalesce(g.content, 0) AS correct_content,
       coalesce(g.function, 0) AS gold_function, coalesce(s.function, 0) AS predicted_function,
       a.correct_edge * coalesce(g.function, 0) AS correct_function
FROM attachment AS a
LEFT JOIN class_members AS g ON g.relation = a.gold_udeprel
LEFT JOIN class_members AS s ON s.relation = a.system_udeprel
