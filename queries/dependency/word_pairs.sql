-- word_pairs: the words of gold and system trees with their counterparts: by position where the system's words are the
--   gold words, by their characters where the table word_alignments has an alignment of the two corpora; one row per
--   pair, and per word of either side that has no counterpart.
-- kind: relation
-- parameters: as attachment (gold_corpus, system_corpus, match)
-- column sentence INTEGER: the gold corpus's sentence; of a word that only the system has, the one in which it begins
-- column word INTEGER: position of the gold word; NULL if there is none
-- column system_sentence INTEGER: the system's sentence; NULL where it has no such word
-- column system_word INTEGER: position of the system's word; NULL likewise
-- column form VARCHAR: the word in the gold tree
-- column system_form VARCHAR: the word in the system's tree
-- column upos VARCHAR: gold part of speech
-- column system_upos VARCHAR: the system's part of speech
-- column punctuation BOOLEAN: whether every character of the word is of Unicode category P
-- column gold_head INTEGER: head in the gold tree
-- column system_head INTEGER: head in the system's tree, a position in its own sentence
-- column counterpart_sentence INTEGER: gold sentence of the counterpart of that head; NULL if it has none
-- column counterpart_head INTEGER: position of that counterpart, 0 for a root
-- column gold_deprel VARCHAR: relation in the gold tree
-- column system_deprel VARCHAR: relation in the system's tree
-- column gold_udeprel VARCHAR: gold relation cut at `:`
-- column system_udeprel VARCHAR: the system's relation cut at `:`
-- column gold_words BIGINT: 1 if there is a gold word
-- column system_words BIGINT: 1 if there is a word of the system
-- column aligned_pairs BIGINT: 1 if there are both
-- column by_characters BIGINT: 1 if the words of the two corpora are aligned by their characters, in every row
-- column correct_head BIGINT: 1 if both are roots, or their heads are counterparts
-- source: Buchholz & Marsi 2006, CoNLL-X shared task on multilingual dependency parsing; Zeman et al. 2018, CoNLL 2018
--   shared task: multilingual parsing from raw text to universal dependencies
SELECT p.sentence, p.word, p.system_sentence, p.system_word, p.form, p.system_form, p.upos, p.system_upos, p.punctuation,
       p.gold_head, p.system_head, p.counterpart_sentence, p.counterpart_head, p.gold_deprel, p.system_deprel,
       p.gold_udeprel, p.system_udeprel, CAST(CASE WHEN p.word IS NULL THEN 0 ELSE 1 END AS BIGINT) AS gold_words,
       CAST(CASE WHEN p.system_word IS NULL THEN 0 ELSE 1 END AS BIGINT) AS system_words,
       CAST(CASE WHEN p.word IS NULL OR p.system_word IS NULL THEN 0 ELSE 1 END AS BIGINT) AS aligned_pairs,
       CAST(p.by_characters AS BIGINT) AS by_characters,
       CAST(CASE WHEN p.gold_head = p.counterpart_head AND p.sentence = p.counterpart_sentence THEN 1 ELSE 0 END AS BIGINT)
           AS correct_head
FROM (SELECT g.sentence, g.word, s.sentence AS system_sentence, s.word AS system_word, g.form, s.form AS system_form,
             g.upos, s.upos AS system_upos, g.punctuation, g.head AS gold_head, s.head AS system_head,
             g.sentence AS counterpart_sentence, s.head AS counterpart_head, g.deprel AS gold_deprel,
             s.deprel AS system_deprel, g.udeprel AS gold_udeprel, s.udeprel AS system_udeprel, 0 AS by_characters
      FROM words AS g
      JOIN words AS s ON s.sentence = g.sentence AND s.word = g.word
      LEFT JOIN (SELECT DISTINCT n.gold FROM word_alignments AS n
                 WHERE n.gold = $gold_corpus AND n.system = $system_corpus) AS d ON d.gold = g.corpus
      WHERE g.corpus = $gold_corpus AND s.corpus = $system_corpus AND $match = 'order' AND d.gold IS NULL
      UNION ALL
      SELECT g.sentence, g.word, s.sentence AS system_sentence, s.word AS system_word, g.form, s.form AS system_form,
             g.upos, s.upos AS system_upos, g.punctuation, g.head AS gold_head, s.head AS system_head,
             g.sentence AS counterpart_sentence, s.head AS counterpart_head, g.deprel AS gold_deprel,
             s.deprel AS system_deprel, g.udeprel AS gold_udeprel, s.udeprel AS system_udeprel, 0 AS by_characters
      FROM words AS g
      JOIN sentence_pairs AS p ON p.gold_sentence = g.sentence
      JOIN words AS s ON s.sentence = p.system_sentence AND s.word = g.word
      WHERE g.corpus = $gold_corpus AND s.corpus = $system_corpus AND $match = 'sent_id'
      UNION ALL
      SELECT a.sentence, a.word, a.system_sentence, a.system_word, g.form, s.form AS system_form, g.upos,
             s.upos AS system_upos, coalesce(g.punctuation, s.punctuation) AS punctuation, g.head AS gold_head,
             s.head AS system_head, CASE WHEN s.head = 0 THEN a.sentence ELSE h.sentence END AS counterpart_sentence,
             CASE WHEN s.head = 0 THEN 0 ELSE h.word END AS counterpart_head, g.deprel AS gold_deprel,
             s.deprel AS system_deprel, g.udeprel AS gold_udeprel, s.udeprel AS system_udeprel, 1 AS by_characters
      FROM word_alignments AS a
      LEFT JOIN (SELECT w.sentence, w.word, w.form, w.upos, w.punctuation, w.head, w.deprel, w.udeprel
                 FROM words AS w
                 WHERE w.corpus = $gold_corpus) AS g ON g.sentence = a.sentence AND g.word = a.word
      LEFT JOIN (SELECT w.sentence, w.word, w.form, w.upos, w.punctuation, w.head, w.deprel, w.udeprel
                 FROM words AS w
                 WHERE w.corpus = $system_corpus) AS s ON s.sentence = a.system_sentence AND s.word = a.system_word
      LEFT JOIN (SELECT t.sentence, t.word, t.system_sentence, t.system_word
                 FROM word_alignments AS t
                 WHERE t.gold = $gold_corpus AND t.system = $system_corpus AND t.word IS NOT NULL) AS h
          ON h.system_sentence = a.system_sentence AND h.system_word = s.head
      WHERE a.gold = $gold_corpus AND a.system = $system_corpus AND $match = 'order') AS p
