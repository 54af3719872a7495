-- attachment_pairs: attachment with the columns of aligned_attachment: every word is aligned with the system's word at its
--   position; one row per scored word.
-- kind: relation
-- parameters: as attachment
-- columns: as aligned_attachment
-- source: Buchholz & Marsi 2006, CoNLL-X shared task on multilingual dependency parsing
SELECT a.sentence, a.word, a.system_sentence, a.word AS system_word, a.form, a.form AS system_form, a.upos, a.gold_head,
       a.system_head, a.gold_deprel, a.system_deprel, a.gold_udeprel, a.system_udeprel, a.words AS gold_words,
       a.words AS system_words, a.words AS aligned_pairs, a.correct_head, a.correct_relation, a.correct_edge
FROM attachment AS a
