-- word_pairs: pairs of words of gold and system trees; one row per word.
-- kind: relation
-- parameters: as attachment (gold_corpus, system_corpus, match, relations)
-- column sentence INTEGER: the gold corpus's sentence
-- column system_sentence INTEGER: the system's sentence
-- column word INTEGER: position, the same on both sides
-- column form VARCHAR: the word
-- column same_form BOOLEAN: whether the system's file has the same word there
-- column upos VARCHAR: its gold part of speech
-- column system_upos VARCHAR: its part of speech in the system's file
-- column punctuation BOOLEAN: whether every character of the form is of Unicode category P
-- column gold_head INTEGER: head in the gold tree
-- column system_head INTEGER: head in the system's tree
-- column gold_deprel VARCHAR: relation in the gold tree
-- column system_deprel VARCHAR: relation in the system's tree
-- column gold_udeprel VARCHAR: gold relation cut at `:`
-- column system_udeprel VARCHAR: the system's relation cut at `:`
-- column correct_head BIGINT: 1 if the heads are the same
-- column correct_relation BIGINT: 1 if the relations are the same
-- source: Buchholz & Marsi 2006, CoNLL-X shared task on multilingual dependency parsing
SELECT p.sentence, p.system_sentence, p.word, p.form, p.form = p.system_form AS same_form, p.upos, p.system_upos,
       p.punctuation, p.gold_head, p.system_head, p.gold_deprel, p.system_deprel, p.gold_udeprel, p.system_udeprel,
       CAST(CASE WHEN p.gold_head = p.system_head THEN 1 ELSE 0 END AS BIGINT) AS correct_head,
       CAST(CASE WHEN $relations = 'full' AND coalesce(p.gold_deprel, '_') = coalesce(p.system_deprel, '_') THEN 1
                 WHEN $relations = 'universal' AND coalesce(p.gold_udeprel, '_') = coalesce(p.system_udeprel, '_') THEN 1
                 ELSE 0 END AS BIGINT) AS correct_relation
FROM (SELECT g.sentence, s.sentence AS system_sentence, g.word, g.form, s.form AS system_form, g.upos,
             s.upos AS system_upos, g.punctuation, g.head AS gold_head, s.head AS system_head, g.deprel AS gold_deprel,
             s.deprel AS system_deprel, g.udeprel AS gold_udeprel, s.udeprel AS system_udeprel
      FROM words AS g
      JOIN words AS s ON s.sentence = g.sentence AND s.word = g.word
      WHERE g.corpus = $gold_corpus AND s.corpus = $system_corpus AND $match = 'order'
      UNION ALL
      SELECT g.sentence, s.sentence AS system_sentence, g.word, g.form, s.form AS system_form, g.upos,
             s.upos AS system_upos, g.punctuation, g.head AS gold_head, s.head AS system_head, g.deprel AS gold_deprel,
             s.deprel AS system_deprel, g.udeprel AS gold_udeprel, s.udeprel AS system_udeprel
      FROM words AS g
      JOIN sentence_pairs AS p ON p.gold_sentence = g.sentence
      JOIN words AS s ON s.sentence = p.system_sentence AND s.word = g.word
      WHERE g.corpus = $gold_corpus AND s.corpus = $system_corpus AND $match = 'sent_id') AS p
