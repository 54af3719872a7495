-- aligned_class_scores: precision and recall of content and function relations for a system whose words and sentences
--   may differ from the gold ones; one row per aligned pair, and per word of either side without a counterpart.
-- kind: metric
-- engine: kernel: aligned_words aligns words
-- parameters: as attachment (gold_corpus, system_corpus)
-- parameters: as aligned_attachment (punctuation)
-- parameter relations TEXT(universal|full) = universal: how relations are compared, as in
--   aligned_attachment; their classes are always those of universal relations
-- audit text_correspondence
-- audit unparsed_gold
-- column sentence INTEGER: the gold corpus's sentence; of a word that only the system has, the one in which it begins
-- column word INTEGER: position of the gold word; NULL if there is none
-- column system_sentence INTEGER: the system's sentence; NULL where it has no such word
-- column system_word INTEGER: position of the system's word
-- column form VARCHAR: the word in the gold tree
-- column upos VARCHAR: gold part of speech
-- column gold_deprel VARCHAR: relation in the gold tree
-- column system_deprel VARCHAR: relation in the system's tree
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
SELECT a.sentence, a.word, a.system_sentence, a.system_word, a.form, a.upos, a.gold_deprel, a.system_deprel,
       coalesce(g.content, 0) AS gold_content,
       coalesce(s.content, 0) AS predicted_content, a.correct_edge * coalesce(g.content, 0) AS correct_content,
       coalesce(g.function, 0) AS gold_function, coalesce(s.function, 0) AS predicted_function,
       a.correct_edge * coalesce(g.function, 0) AS correct_function
FROM aligned_attachment AS a
LEFT JOIN class_members AS g ON g.relation = a.gold_udeprel
LEFT JOIN class_members AS s ON s.relation = a.system_udeprel
