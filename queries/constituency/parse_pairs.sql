-- parse_pairs: both trees of a sentence and the rules of their comparison, as arguments of functions that compare
--   parses; one row per gold sentence.
-- kind: relation
-- engine: kernel: words have keys of 64 bits
-- parameters: as robinson_foulds (gold_corpus, system_corpus, rules)
-- column sentence INTEGER: the sentence
-- column gold STRUCT(parents INTEGER[], labels INTEGER[], phrases INTEGER[], tags INTEGER[], forms UBIGINT[]): the gold
--   tree, as constituent_lists has it
-- column test STRUCT(parents INTEGER[], labels INTEGER[], phrases INTEGER[], tags INTEGER[], forms UBIGINT[]): the
--   system's tree; NULL where it has none
-- column gold_labels STRUCT(classes INTEGER[], kinds UTINYINT[]): labels of the gold corpus, as label_lists has them
-- column test_labels STRUCT(classes INTEGER[], kinds UTINYINT[]): those of the system's corpus
-- column word_classes STRUCT(members UBIGINT[], representatives UBIGINT[]): keys of words, and of the word that stands
--   for each; 0 for a word that is deleted
-- column labelled BOOLEAN: whether labels are compared
-- column by_gold BOOLEAN: whether gold tags alone say which words are deleted, from both trees
-- source: Sekine & Collins 1997, EVALB
SELECT p.sentence, p.gold, p.test, l.gold_labels, l.test_labels, w.classes AS word_classes, r.labelled, r.by_gold
FROM (SELECT o.sentence,
             struct_pack(parents := o.parent_list, labels := o.label_list, phrases := o.phrase_list,
                         tags := o.tag_list, forms := o.form_list) AS gold,
             CASE WHEN s.sentence IS NOT NULL
                  THEN struct_pack(parents := s.parent_list, labels := s.label_list, phrases := s.phrase_list,
                                   tags := s.tag_list, forms := s.form_list) END AS test
      FROM constituent_lists AS o
      LEFT JOIN constituent_lists AS s ON s.corpus = $system_corpus AND s.sentence = o.sentence
      WHERE o.corpus = $gold_corpus) AS p
CROSS JOIN label_lists AS l
CROSS JOIN evalb_rules AS r
CROSS JOIN evalb_word_classes AS w
