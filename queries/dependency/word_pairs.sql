-- word_pairs: the words of gold and system trees side by side; one row per word.
-- kind: relation
-- parameter gold_corpus TEXT: corpus of the gold trees
-- parameter system_corpus TEXT: corpus of the system's trees
-- parameter match TEXT(order|sent_id) = order: which sentences correspond, those of the same rank or those of the same sent_id
-- column sentence INTEGER: the gold corpus's sentence
-- column system_sentence INTEGER: the system's sentence
-- column word INTEGER: position, the same on both sides
-- column form VARCHAR: the word
-- column system_form VARCHAR: the word as the system's file has it
-- column upos VARCHAR: its gold part of speech
-- column system_upos VARCHAR: its part of speech in the system's file
-- column punctuation BOOLEAN: whether every character of the form is of Unicode category P
-- column gold_head INTEGER: head in the gold tree
-- column system_head INTEGER: head in the system's tree
-- column gold_deprel VARCHAR: relation in the gold tree
-- column system_deprel VARCHAR: relation in the system's tree
-- column gold_udeprel VARCHAR: gold relation cut at `:`
-- column system_udeprel VARCHAR: the system's relation cut at `:`
-- source: Buchholz & Marsi 2006, CoNLL-X shared task on multilingual dependency parsing
SELECT g.sentence, p.system_sentence, g.word, g.form, s.form AS system_form, g.upos, s.upos AS system_upos, g.punctuation,
       g.head AS gold_head, s.head AS system_head,
       g.deprel AS gold_deprel, s.deprel AS system_deprel,
       g.udeprel AS gold_udeprel, s.udeprel AS system_udeprel
FROM words AS g
JOIN sentence_pairs AS p ON p.gold_sentence = g.sentence
JOIN words AS s ON s.sentence = p.system_sentence AND s.word = g.word
WHERE g.corpus = $gold_corpus AND s.corpus = $system_corpus
