-- version_units: sentences and words of two versions of a corpus, with their counterparts; one row per pair, and per
--   sentence or word that only one version has.
-- kind: relation
-- engine: kernel: version_words
-- parameters: as version_sentences
-- column unit VARCHAR: sentence or word
-- column old_sentence INTEGER: sentence of the old version; NULL for what only the new one has
-- column old_word INTEGER: position of the old word; NULL for sentences
-- column new_sentence INTEGER: sentence of the new version; NULL for what only the old one has
-- column new_word INTEGER: position of the new word
-- column form VARCHAR: the word in the old version, else in the new one; NULL for sentences
-- column upos VARCHAR: its part of speech, likewise
-- column deprel VARCHAR: its relation, likewise
-- column same BIGINT: 1 if nothing of it changed: all columns of a word, all words of a sentence
-- column changed BIGINT: 1 if it is in both versions and something changed
-- column only_old BIGINT: 1 if only the old version has it
-- column only_new BIGINT: 1 if only the new version has it
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format
SELECT w.unit, w.old_sentence, w.old_word, w.new_sentence, w.new_word, w.form, w.upos, w.deprel, w.same, w.changed,
       w.only_old, w.only_new
FROM version_word_units AS w
UNION ALL
SELECT 'sentence' AS unit, p.old_sentence, NULL, p.new_sentence, NULL, NULL, NULL, NULL,
       CASE WHEN c.old_sentence IS NULL AND d.new_sentence IS NULL THEN 1 ELSE 0 END AS same,
       CASE WHEN c.old_sentence IS NULL AND d.new_sentence IS NULL THEN 0 ELSE 1 END AS changed, 0, 0
FROM version_sentences AS p
LEFT JOIN (SELECT DISTINCT x.old_sentence FROM version_word_units AS x WHERE x.same = 0) AS c
    ON c.old_sentence = p.old_sentence
LEFT JOIN (SELECT DISTINCT x.new_sentence FROM version_word_units AS x WHERE x.same = 0) AS d
    ON d.new_sentence = p.new_sentence
UNION ALL
SELECT 'sentence', s.sentence, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 1, 0
FROM sentences AS s
WHERE s.corpus = $old_corpus
  AND NOT EXISTS (SELECT 1 FROM version_sentences AS p WHERE p.old_sentence = s.sentence)
UNION ALL
SELECT 'sentence', NULL, NULL, s.sentence, NULL, NULL, NULL, NULL, 0, 0, 0, 1
FROM sentences AS s
WHERE s.corpus = $new_corpus
  AND NOT EXISTS (SELECT 1 FROM version_sentences AS p WHERE p.new_sentence = s.sentence)
