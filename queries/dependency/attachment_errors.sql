-- attachment_errors: words with a wrong head or relation, sorted by errors per sentence, descending; one row per word.
-- kind: statistic
-- parameters: as attachment
-- audit tree_correspondence
-- audit unparsed_gold
-- column sentence INTEGER: the gold corpus's sentence
-- column sent_id VARCHAR: its sent_id
-- column sentence_errors BIGINT: number of words of the sentence with a wrong head or relation
-- column word INTEGER: position in the sentence
-- column form VARCHAR: the word
-- column upos VARCHAR: its gold part of speech
-- column correct_head BIGINT: 1 if the head is right
-- column correct_relation BIGINT: 1 if the relation is right
-- column gold_head INTEGER: head in the gold tree
-- column gold_head_form VARCHAR: form of that head, ROOT for 0
-- column gold_deprel VARCHAR: relation in the gold tree
-- column system_head INTEGER: head in the system's tree
-- column system_head_form VARCHAR: form of that head, ROOT for 0
-- column system_deprel VARCHAR: relation in the system's tree
-- source: Buchholz & Marsi 2006, CoNLL-X shared task (eval.pl); Nivre et al. 2007, CoNLL 2007 shared task (eval07.pl),
--   sentences with the highest number of word errors
SELECT e.sentence, e.sent_id, e.sentence_errors, e.word, e.form, e.upos, e.correct_head, e.correct_relation, e.gold_head,
       e.gold_head_form, e.gold_deprel, e.system_head, e.system_head_form, e.system_deprel
FROM error_pairs AS e
ORDER BY e.sentence_errors DESC, e.sentence, e.word
