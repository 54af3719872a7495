-- unmatched_words: the words of one of two corpora of the same text without a counterpart in same_span_words; one row per
--   word.
-- kind: relation
-- engine: duckdb: span_pairs
-- parameters: as attachment (gold_corpus, system_corpus)
-- parameter side_corpus TEXT: one of the two corpora
-- column sentence INTEGER: its sentence
-- column word INTEGER: its position
-- column form VARCHAR: the word
-- column lemma VARCHAR: its lemma
-- column upos VARCHAR: its part of speech
-- column xpos VARCHAR: the treebank's own part of speech
-- column feats VARCHAR: its features
-- column head INTEGER: its head
-- column deprel VARCHAR: its relation
-- column udeprel VARCHAR: its relation cut at `:`
-- column multiword BOOLEAN: whether it is part of a multiword token
-- column span_start BIGINT: offset of its first character in the text of the corpus without white space
-- column span_end BIGINT: offset after its last character
-- column line BIGINT: line in the file of its sentence
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies
SELECT g.gold_sentence AS sentence, g.gold_word AS word, g.gold_form AS form, g.gold_lemma AS lemma, g.gold_upos AS upos,
       g.gold_xpos AS xpos, g.gold_feats AS feats, g.gold_head AS head, g.gold_deprel AS deprel,
       g.gold_udeprel AS udeprel, g.gold_multiword AS multiword, g.gold_span_start AS span_start,
       g.gold_span_end AS span_end, g.gold_line AS line
FROM span_pairs AS g
WHERE g.system_word IS NULL AND $side_corpus = $gold_corpus
UNION ALL
SELECT s.system_sentence, s.system_word, s.system_form, s.system_lemma, s.system_upos, s.system_xpos, s.system_feats,
       s.system_head, s.system_deprel, s.system_udeprel, s.system_multiword, s.system_span_start, s.system_span_end,
       s.system_line
FROM span_pairs AS s
WHERE s.gold_word IS NULL AND $side_corpus <> $gold_corpus
