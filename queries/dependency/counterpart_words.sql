-- counterpart_words: the words of gold and system trees with their counterparts: by position where the system's words are the
--   gold words, whatever its multiword tokens are, else as aligned_word_pairs; one row per pair, and per word of either
--   side that has no counterpart.
-- kind: relation
-- engine: kernel: aligned_words aligns words
-- parameters: as attachment (gold_corpus, system_corpus)
-- columns: as aligned_word_pairs
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies
SELECT p.sentence, p.word, p.system_sentence, p.system_word, p.form, p.system_form, p.lemma, p.system_lemma,
       p.upos, p.system_upos, p.xpos, p.system_xpos, p.feats, p.system_feats, p.gold_head, p.system_head,
       p.gold_deprel, p.system_deprel, p.gold_udeprel, p.system_udeprel, p.gold_words, p.system_words,
       p.aligned_pairs, p.correct_head
FROM aligned_word_pairs AS p
CROSS JOIN same_words AS e
WHERE e.has_gold_words = 0
UNION ALL
SELECT g.sentence, g.word, s.sentence, s.word, g.form, s.form, g.lemma, s.lemma, g.upos, s.upos, g.xpos, s.xpos,
       g.feats, s.feats, g.head, s.head, g.deprel, s.deprel, g.udeprel, s.udeprel, CAST(1 AS BIGINT),
       CAST(1 AS BIGINT), CAST(1 AS BIGINT), CAST(CASE WHEN g.head = s.head THEN 1 ELSE 0 END AS BIGINT)
FROM words AS g
JOIN words AS s ON s.sentence = g.sentence AND s.word = g.word
CROSS JOIN same_words AS e
WHERE g.corpus = $gold_corpus AND s.corpus = $system_corpus AND e.has_gold_words = 1
