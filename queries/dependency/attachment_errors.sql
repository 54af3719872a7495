-- attachment_errors: words with a wrong head or relation or without a counterpart, sorted by errors per sentence,
--   descending; one row per word.
-- kind: statistic
-- parameters: as attachment
-- audit tree_correspondence
-- audit unparsed_gold
-- column sentence INTEGER: the gold corpus's sentence
-- column sent_id VARCHAR: its sent_id
-- column sentence_errors BIGINT: number of rows of the sentence
-- column word INTEGER: position in the sentence; NULL if only the system has the word
-- column system_word INTEGER: position in the system's sentence; NULL if only the gold tree has the word
-- column form VARCHAR: the word
-- column system_form VARCHAR: the system's word
-- column upos VARCHAR: its gold part of speech
-- column correct_head BIGINT: 1 if both are roots, or their heads are counterparts
-- column correct_relation BIGINT: 1 if the relation is right
-- column gold_head INTEGER: head in the gold tree
-- column gold_head_form VARCHAR: form of that head, ROOT for 0
-- column gold_deprel VARCHAR: relation in the gold tree
-- column system_head INTEGER: head in the system's tree, a position in its own sentence
-- column system_head_form VARCHAR: form of that head, ROOT for 0
-- column system_deprel VARCHAR: relation in the system's tree
-- source: Buchholz & Marsi 2006, CoNLL-X shared task (eval.pl); Nivre et al. 2007, CoNLL 2007 shared task (eval07.pl),
--   sentences with the highest number of word errors; Zeman et al. 2018, CoNLL 2018 shared task
SELECT e.sentence, s.sent_id, e.sentence_errors, e.word, e.system_word, e.form, e.system_form, e.upos, e.correct_head,
       e.correct_relation, e.gold_head, CASE WHEN e.gold_head = 0 THEN 'ROOT' ELSE g.form END AS gold_head_form,
       e.gold_deprel, e.system_head, CASE WHEN e.system_head = 0 THEN 'ROOT' ELSE y.form END AS system_head_form,
       e.system_deprel
FROM (SELECT a.sentence, a.word, a.system_sentence, a.system_word, a.form, a.system_form, a.upos, a.correct_head,
             a.correct_relation, a.gold_head, a.gold_deprel, a.system_head, a.system_deprel,
             count(*) OVER (PARTITION BY a.sentence) AS sentence_errors
      FROM attachment AS a
      WHERE a.correct_edge = 0) AS e
JOIN (SELECT x.sentence, x.sent_id
      FROM sentences AS x
      WHERE x.corpus = $gold_corpus) AS s ON s.sentence = e.sentence
LEFT JOIN (SELECT w.sentence, w.word, w.form
           FROM words AS w
           WHERE w.corpus = $gold_corpus) AS g ON g.sentence = e.sentence AND g.word = e.gold_head
LEFT JOIN (SELECT w.sentence, w.word, w.form
           FROM words AS w
           WHERE w.corpus = $system_corpus) AS y ON y.sentence = e.system_sentence AND y.word = e.system_head
ORDER BY e.sentence_errors DESC, e.sentence, e.word NULLS LAST, e.system_sentence, e.system_word
