-- attachment: how a system attaches and labels the words of the gold trees; one row per scored pair of words, and per word
--   of either side without a counterpart.
-- kind: metric
-- parameter gold_corpus TEXT: corpus of the gold trees
-- parameter system_corpus TEXT: corpus of the system's trees
-- parameter match TEXT(order|sent_id) = order: how sentences correspond: by position in the corpus, or by sent_id
-- parameter punctuation TEXT(all|form|relation) = all: which words are scored: all; form, without words that consist of
--   characters of Unicode category P; relation, without words with deprel punct or upos PUNCT in the gold tree, or if
--   only the system has them, in its tree
-- parameter relations TEXT(universal|full) = universal: how relations are compared: universal, up to the first `:`;
--   full, with subtypes
-- audit tree_correspondence
-- audit unparsed_gold
-- column sentence INTEGER: the gold corpus's sentence; of a word that only the system has, the one in which it begins
-- column word INTEGER: position in the sentence; NULL if there is no gold word
-- column system_sentence INTEGER: the system's sentence; NULL where it has no such word
-- column system_word INTEGER: position of the system's word; NULL likewise
-- column form VARCHAR: the word
-- column system_form VARCHAR: the word in the system's tree
-- column upos VARCHAR: its gold part of speech
-- column gold_head INTEGER: head in the gold tree
-- column system_head INTEGER: head in the system's tree, a position in its own sentence
-- column counterpart_sentence INTEGER: gold sentence of the counterpart of that head; NULL if it has none
-- column counterpart_head INTEGER: position of that counterpart, 0 for a root
-- column gold_deprel VARCHAR: relation in the gold tree
-- column system_deprel VARCHAR: relation in the system's tree
-- column gold_udeprel VARCHAR: gold relation cut at `:`
-- column system_udeprel VARCHAR: the system's relation cut at `:`
-- count words BIGINT: 1 for every scored gold word
-- count gold_words BIGINT: 1 for every scored gold word
-- count system_words BIGINT: 1 for every scored word of the system
-- count aligned_pairs BIGINT: 1 for every pair of them
-- count by_characters BIGINT: 1 if the words of the two corpora are aligned by their characters, in every row
-- column correct_head BIGINT: 1 if both are roots, or their heads are counterparts
-- column correct_relation BIGINT: 1 if the relation is right
-- column correct_edge BIGINT: 1 if both are right
-- score uas percent higher = 2 * sum(correct_head) / nullif(sum(gold_words) + sum(system_words), 0): unlabelled attachment
--   score (F1, which is accuracy where the words are the same)
-- score uas_precision percent higher = sum(correct_head) / nullif(sum(system_words), 0): right heads among the system's
--   words
-- score uas_recall percent higher = sum(correct_head) / nullif(sum(gold_words), 0): right heads among the gold words
-- score las percent higher = 2 * sum(correct_edge) / nullif(sum(gold_words) + sum(system_words), 0): labelled attachment
--   score (F1)
-- score las_precision percent higher = sum(correct_edge) / nullif(sum(system_words), 0): right heads with relations
--   among the system's words
-- score las_recall percent higher = sum(correct_edge) / nullif(sum(gold_words), 0): right heads with relations among
--   the gold words
-- score la percent higher = 2 * sum(correct_relation) / nullif(sum(gold_words) + sum(system_words), 0): label accuracy
--   (F1)
-- score la_precision percent higher = sum(correct_relation) / nullif(sum(system_words), 0): right relations among the
--   system's words
-- score la_recall percent higher = sum(correct_relation) / nullif(sum(gold_words), 0): right relations among the gold
--   words
-- source: Buchholz & Marsi 2006, CoNLL-X shared task on multilingual dependency parsing;
--   Nivre et al. 2007, The CoNLL 2007 shared task on dependency parsing; Zeman et al. 2018, CoNLL 2018 shared task:
--   multilingual parsing from raw text to universal dependencies
SELECT p.sentence, p.word, p.system_sentence, p.system_word, p.form, p.system_form, p.upos, p.gold_head, p.system_head,
       p.counterpart_sentence, p.counterpart_head, p.gold_deprel, p.system_deprel, p.gold_udeprel, p.system_udeprel,
       p.gold_words AS words, p.gold_words, p.system_words, p.aligned_pairs, p.by_characters, p.correct_head,
       p.correct_relation, p.correct_head * p.correct_relation AS correct_edge
FROM (SELECT c.sentence, c.word, c.system_sentence, c.system_word, c.form, c.system_form, c.upos, c.gold_head,
             c.system_head, c.counterpart_sentence, c.counterpart_head, c.gold_deprel, c.system_deprel, c.gold_udeprel,
             c.system_udeprel, c.gold_words, c.system_words, c.aligned_pairs, c.by_characters, c.correct_head,
             CAST(CASE WHEN c.aligned_pairs = 0 THEN 0
                       WHEN $relations = 'full' AND coalesce(c.gold_deprel, '_') = coalesce(c.system_deprel, '_') THEN 1
                       WHEN $relations = 'universal' AND coalesce(c.gold_udeprel, '_') = coalesce(c.system_udeprel, '_')
                       THEN 1 ELSE 0 END AS BIGINT) AS correct_relation
      FROM word_pairs AS c
      WHERE $punctuation = 'all'
         OR ($punctuation = 'form' AND NOT c.punctuation)
         OR ($punctuation = 'relation'
             AND coalesce(CASE WHEN c.gold_words = 1 THEN c.gold_udeprel ELSE c.system_udeprel END, '') <> 'punct'
             AND coalesce(CASE WHEN c.gold_words = 1 THEN c.upos ELSE c.system_upos END, '') <> 'PUNCT')) AS p
