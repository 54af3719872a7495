-- attachment: heads and relations of a system for the words of the gold trees; one row per scored word.
-- kind: metric
-- parameter gold_corpus TEXT: corpus of the gold trees
-- parameter system_corpus TEXT: corpus of the system's trees
-- parameter match TEXT(order|sent_id) = order: how sentences correspond: by position in the corpus, or by sent_id
-- parameter punctuation TEXT(all|form|relation) = all: which words are scored: all; form, without words that consist of
--   characters of Unicode category P; relation, without words with deprel punct or upos PUNCT in the gold tree
-- parameter relations TEXT(universal|full) = universal: how relations are compared: universal, up to the first `:`;
--   full, with subtypes
-- audit tree_correspondence
-- audit unparsed_gold
-- column sentence INTEGER: the gold corpus's sentence
-- column word INTEGER: position in the sentence
-- column system_sentence INTEGER: the system's sentence
-- column form VARCHAR: the word
-- column upos VARCHAR: its gold part of speech
-- column gold_head INTEGER: head in the gold tree
-- column system_head INTEGER: head in the system's tree
-- column gold_deprel VARCHAR: relation in the gold tree
-- column system_deprel VARCHAR: relation in the system's tree
-- column gold_udeprel VARCHAR: gold relation cut at `:`
-- column system_udeprel VARCHAR: the system's relation cut at `:`
-- count words BIGINT: 1 for every scored word
-- column correct_head BIGINT: 1 if the head is right
-- column correct_relation BIGINT: 1 if the relation is right
-- column correct_edge BIGINT: 1 if both are right
-- score uas percent higher = sum(correct_head) / nullif(sum(words), 0): unlabelled attachment score
-- score las percent higher = sum(correct_edge) / nullif(sum(words), 0): labelled attachment score
-- score la percent higher = sum(correct_relation) / nullif(sum(words), 0): label accuracy
-- source: Buchholz & Marsi 2006, CoNLL-X shared task on multilingual dependency parsing;
--   Nivre et al. 2007, The CoNLL 2007 shared task on dependency parsing
SELECT p.sentence, p.word, p.system_sentence, p.form, p.upos, p.gold_head, p.system_head, p.gold_deprel,
       p.system_deprel, p.gold_udeprel, p.system_udeprel, CAST(1 AS BIGINT) AS words, p.correct_head, p.correct_relation,
       p.correct_head * p.correct_relation AS correct_edge
FROM word_pairs AS p
WHERE $punctuation = 'all'
   OR ($punctuation = 'form' AND NOT p.punctuation)
   OR ($punctuation = 'relation' AND coalesce(p.gold_udeprel, '') <> 'punct' AND coalesce(p.upos, '') <> 'PUNCT')
