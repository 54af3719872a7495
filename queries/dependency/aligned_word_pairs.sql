-- aligned_word_pairs: the aligned words of gold and system trees of the same text; one row per pair, and per word of
--   either side that has no counterpart.
-- kind: relation
-- engine: kernel: aligned_words aligns words
-- parameters: as attachment (gold_corpus, system_corpus)
-- column sentence INTEGER: the gold corpus's sentence; of a word that only the system has, the one in which it begins
-- column word INTEGER: position of the gold word; NULL if there is none
-- column system_sentence INTEGER: the system's sentence; NULL where it has no such word
-- column system_word INTEGER: position of the system's word
-- column form VARCHAR: the word in the gold tree
-- column system_form VARCHAR: the word in the system's tree
-- column lemma VARCHAR: gold lemma
-- column system_lemma VARCHAR: the system's lemma
-- column upos VARCHAR: gold part of speech
-- column system_upos VARCHAR: the system's part of speech
-- column xpos VARCHAR: the gold treebank's own part of speech
-- column system_xpos VARCHAR: the system's
-- column feats VARCHAR: gold features
-- column system_feats VARCHAR: the system's features
-- column gold_head INTEGER: head in the gold tree
-- column system_head INTEGER: head in the system's tree, a position in its own sentence
-- column gold_deprel VARCHAR: relation in the gold tree
-- column system_deprel VARCHAR: relation in the system's tree
-- column gold_udeprel VARCHAR: gold relation cut at `:`
-- column system_udeprel VARCHAR: the system's relation cut at `:`
-- column gold_words BIGINT: 1 if there is a gold word
-- column system_words BIGINT: 1 if there is a word of the system
-- column aligned_pairs BIGINT: 1 if there are both
-- column correct_head BIGINT: 1 if both are roots, or their heads are aligned with each other
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies
SELECT p.sentence, p.word, p.system_sentence, p.system_word, p.form, p.system_form, p.lemma, p.system_lemma, p.upos,
       p.system_upos, p.xpos, p.system_xpos, p.feats, p.system_feats, p.gold_head, p.system_head, p.gold_deprel,
       p.system_deprel, p.gold_udeprel, p.system_udeprel, CAST(1 AS BIGINT) AS gold_words,
       CAST(1 AS BIGINT) AS system_words, CAST(1 AS BIGINT) AS aligned_pairs,
       CAST(CASE WHEN p.gold_head = 0 AND p.system_head = 0 THEN 1
                 WHEN h.gold_sentence = p.sentence AND h.gold_word = p.gold_head THEN 1 ELSE 0 END AS BIGINT)
           AS correct_head
FROM (SELECT d.gold_sentence AS sentence, d.gold_word AS word, d.system_sentence, d.system_word, d.gold_form AS form,
             d.system_form, d.gold_lemma AS lemma, d.system_lemma, d.gold_upos AS upos, d.system_upos,
             d.gold_xpos AS xpos, d.system_xpos, d.gold_feats AS feats, d.system_feats, d.gold_head, d.system_head,
             d.gold_deprel, d.system_deprel, d.gold_udeprel, d.system_udeprel
      FROM span_pairs AS d
      WHERE d.gold_word IS NOT NULL AND d.system_word IS NOT NULL
      UNION ALL
      SELECT g.sentence, g.word, s.sentence AS system_sentence, s.word AS system_word, g.form,
             s.form AS system_form, g.lemma, s.lemma AS system_lemma, g.upos, s.upos AS system_upos, g.xpos,
             s.xpos AS system_xpos, g.feats, s.feats AS system_feats, g.head AS gold_head, s.head AS system_head,
             g.deprel AS gold_deprel, s.deprel AS system_deprel, g.udeprel AS gold_udeprel, s.udeprel AS system_udeprel
      FROM multiword_pairs AS m
      JOIN unmatched_words(side_corpus := $gold_corpus) AS g
          ON g.sentence = m.gold_sentence AND g.word = m.gold_word
      JOIN unmatched_words(side_corpus := $system_corpus) AS s
          ON s.sentence = m.system_sentence AND s.word = m.system_word) AS p
LEFT JOIN aligned_words AS h ON h.system_sentence = p.system_sentence AND h.system_word = p.system_head
UNION ALL
SELECT g.sentence, g.word, NULL, NULL, g.form, NULL, g.lemma, NULL, g.upos, NULL, g.xpos, NULL, g.feats, NULL, g.head,
       NULL, g.deprel, NULL, g.udeprel, NULL, 1, 0, 0, 0
FROM unmatched_words(side_corpus := $gold_corpus) AS g
WHERE NOT EXISTS (SELECT 1 FROM multiword_pairs AS m WHERE m.gold_sentence = g.sentence AND m.gold_word = g.word)
UNION ALL
SELECT b.sentence, NULL, o.sentence, o.word, NULL, o.form, NULL, o.lemma, NULL, o.upos, NULL, o.xpos, NULL, o.feats,
       NULL, o.head, NULL, o.deprel, NULL, o.udeprel, 0, 1, 0, 0
FROM (SELECT s.sentence, s.word, s.form, s.lemma, s.upos, s.xpos, s.feats, s.head, s.deprel, s.udeprel, s.span_start
      FROM unmatched_words(side_corpus := $system_corpus) AS s
      WHERE NOT EXISTS (SELECT 1 FROM multiword_pairs AS m
                        WHERE m.system_sentence = s.sentence AND m.system_word = s.word)) AS o
ASOF JOIN (SELECT w.sentence, w.span_start
           FROM words AS w
           WHERE w.corpus = $gold_corpus AND w.word = 1) AS b ON o.span_start >= b.span_start
