-- version_texts: the words of the sentences of one of two versions of a corpus; one row per sentence.
-- kind: relation
-- engine: duckdb: lists keep the words in order
-- parameter side_corpus TEXT: one of the two corpora
-- column sentence INTEGER: the sentence
-- column sent_id VARCHAR: its sent_id
-- column word_forms VARCHAR[]: its words
-- column characters VARCHAR: its words without white space between them, by which tokenisations do not differ
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format
SELECT s.sentence, s.sent_id, w.word_forms, regexp_replace(array_to_string(w.word_forms, ''), '\s', '', 'g') AS characters
FROM sentences AS s
JOIN (SELECT t.sentence, list(t.form ORDER BY t.word) AS word_forms
      FROM words AS t
      WHERE t.corpus = $side_corpus
      GROUP BY t.sentence) AS w ON w.sentence = s.sentence
WHERE s.corpus = $side_corpus
