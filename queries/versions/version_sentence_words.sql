-- version_sentence_words: words of corresponding sentences of two versions of a corpus; one row per pair of sentences.
-- kind: relation
-- engine: duckdb: lists of words
-- parameters: as version_sentences
-- column old_sentence INTEGER: sentence of the old version
-- column new_sentence INTEGER: sentence of the new version
-- column old_forms VARCHAR[]: words of the old version, in order
-- column new_forms VARCHAR[]: words of the new version
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format
SELECT s.old_sentence, s.new_sentence, o.word_forms AS old_forms, n.word_forms AS new_forms
FROM version_sentences AS s
JOIN version_texts(side_corpus := $old_corpus) AS o ON o.sentence = s.old_sentence
JOIN version_texts(side_corpus := $new_corpus) AS n ON n.sentence = s.new_sentence
