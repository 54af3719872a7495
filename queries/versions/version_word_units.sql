-- version_word_units: words of two versions of a corpus, with their counterparts; one row per aligned pair, and per word
--   that only one version has.
-- kind: relation
-- engine: kernel: version_words
-- parameters: as version_sentences
-- column unit VARCHAR: word
-- column old_sentence INTEGER: sentence of the old version; NULL for a word that only the new one has
-- column old_word INTEGER: position of the old word
-- column new_sentence INTEGER: sentence of the new version; NULL for a word that only the old one has
-- column new_word INTEGER: position of the new word
-- column form VARCHAR: the word in the old version, else in the new one
-- column upos VARCHAR: its part of speech, likewise
-- column deprel VARCHAR: its relation, likewise
-- column same BIGINT: 1 if all columns are the same
-- column changed BIGINT: 1 if it is in both versions and a column changed
-- column only_old BIGINT: 1 if only the old version has it
-- column only_new BIGINT: 1 if only the new version has it
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format
SELECT 'word' AS unit, v.old_sentence, v.old_word, v.new_sentence, v.new_word, v.form, v.upos, v.deprel,
       CAST(min(v.same_value) AS BIGINT) AS same, CAST(1 - min(v.same_value) AS BIGINT) AS changed,
       CAST(0 AS BIGINT) AS only_old, CAST(0 AS BIGINT) AS only_new
FROM version_values AS v
GROUP BY v.old_sentence, v.old_word, v.new_sentence, v.new_word, v.form, v.upos, v.deprel
UNION ALL
SELECT 'word', w.sentence, w.word, NULL, NULL, w.form, w.upos, w.deprel, 0, 0, 1, 0
FROM words AS w
WHERE w.corpus = $old_corpus
  AND NOT EXISTS (SELECT 1 FROM version_words AS p WHERE p.old_sentence = w.sentence AND p.old_word = w.word)
UNION ALL
SELECT 'word', NULL, NULL, w.sentence, w.word, w.form, w.upos, w.deprel, 0, 0, 0, 1
FROM words AS w
WHERE w.corpus = $new_corpus
  AND NOT EXISTS (SELECT 1 FROM version_words AS p WHERE p.new_sentence = w.sentence AND p.new_word = w.word)
