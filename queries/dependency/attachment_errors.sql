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
-- source: Buchholz & Marsi 2006, CoNLL-X shared task (eval.pl); CoNLL-2007 shared task (eval07.pl), sentences
--   with the highest number of word errors
SELECT e.sentence, s.sent_id, e.sentence_errors, e.word, e.form, e.upos, e.correct_head, e.correct_relation,
       e.gold_head, CASE WHEN e.gold_head = 0 THEN 'ROOT' ELSE g.form END AS gold_head_form, e.gold_deprel,
       e.system_head, CASE WHEN e.system_head = 0 THEN 'ROOT' ELSE y.form END AS system_head_form, e.system_deprel
FROM (SELECT a.sentence, a.word, a.form, a.upos, a.correct_head, a.correct_relation,
             a.gold_head, a.gold_deprel, a.system_head, a.system_deprel,
             CAST(sum(a.words) OVER (PARTITION BY a.sentence) AS BIGINT) AS sentence_errors
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
           WHERE w.corpus = $gold_corpus) AS y ON y.sentence = e.sentence AND y.word = e.system_head
ORDER BY e.sentence_errors DESC, e.sentence, e.word
