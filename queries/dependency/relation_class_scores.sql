-- relation_class_scores: precision and recall of content and function relations; one row per scored word.
-- kind: metric
-- parameters: as attachment (gold_corpus, system_corpus, match, punctuation)
-- parameter relations TEXT(universal|full) = universal: how relations are compared, as
--   in attachment; their classes are always those of universal relations
-- audit tree_correspondence
-- audit unparsed_gold
-- column sentence INTEGER: the gold corpus's sentence
-- column word INTEGER: position in the sentence
-- column system_sentence INTEGER: the system's sentence
-- column form VARCHAR: the word
-- column upos VARCHAR: its gold part of speech
-- column gold_deprel VARCHAR: relation in the gold tree
-- column system_deprel VARCHAR: relation in the system's tree
-- column gold_class VARCHAR: class of the gold relation, from the table relation_classes; other if the table lacks it
-- column system_class VARCHAR: class of the system's relation
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
--   content_precision's counterpart for function relations
-- score function_recall percent higher = sum(correct_function) / nullif(sum(gold_function), 0): content_recall's counterpart for
--   function relations
-- source: on cross-linguistic parser evaluation with Universal Dependencies 1.2 (unpublished draft), section 4.4.1
SELECT a.sentence, a.word, a.system_sentence, a.form, a.upos, a.gold_deprel, a.system_deprel,
       coalesce(g.class, 'other') AS gold_class, coalesce(s.class, 'other') AS system_class,
       coalesce(g.content, 0) AS gold_content,
       coalesce(s.content, 0) AS predicted_content, a.correct_edge * coalesce(g.content, 0) AS correct_content,
       coalesce(g.function, 0) AS gold_function, coalesce(s.function, 0) AS predicted_function,
       a.correct_edge * coalesce(g.function, 0) AS correct_function
FROM attachment AS a
LEFT JOIN class_members AS g ON g.relation = a.gold_udeprel
LEFT JOIN class_members AS s ON s.relation = a.system_udeprel
