-- version_units: sentences, words, multiword tokens and empty nodes of two versions of a corpus, with their counterparts; one
--   row per pair, and per such unit that only one version has.
-- kind: relation
-- engine: kernel: version_words
-- parameters: as version_sentences
-- parameters: as version_comment_values (compared_comments)
-- column unit VARCHAR: sentence, word, range (a multiword token) or empty_node
-- column old_sentence INTEGER: sentence of the old version; NULL for what only the new one has
-- column old_word INTEGER: position of the old word, of the first word of a range, or of the word that a node follows; NULL
--   for sentences
-- column new_sentence INTEGER: sentence of the new version; NULL for what only the old one has
-- column new_word INTEGER: position of the new word
-- column form VARCHAR: the word in the old version, else in the new one; a range as `3-4 FORM`, an empty node as `4.1 FORM`;
--   NULL for sentences
-- column upos VARCHAR: its part of speech, likewise
-- column deprel VARCHAR: its relation, likewise
-- column same BIGINT: 1 if nothing of it changed: all columns of a word; text, documents and all units of a sentence
-- column changed BIGINT: 1 if it is in both versions and something changed
-- column only_old BIGINT: 1 if only the old version has it
-- column only_new BIGINT: 1 if only the new version has it
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format
SELECT w.unit, w.old_sentence, w.old_word, w.new_sentence, w.new_word, w.form, w.upos, w.deprel, w.same, w.changed,
       w.only_old, w.only_new
FROM version_part_units AS w
UNION ALL
SELECT 'sentence' AS unit, p.old_sentence, NULL, p.new_sentence, NULL, NULL, NULL, NULL,
       CASE WHEN c.old_sentence IS NULL AND d.new_sentence IS NULL THEN 1 ELSE 0 END AS same,
       CASE WHEN c.old_sentence IS NULL AND d.new_sentence IS NULL THEN 0 ELSE 1 END AS changed, 0, 0
FROM version_sentences AS p
LEFT JOIN (SELECT DISTINCT x.old_sentence
           FROM (SELECT u.old_sentence FROM version_part_units AS u WHERE u.same = 0
                 UNION ALL
                 SELECT v.old_sentence FROM version_other_values AS v WHERE v.unit = 'sentence' AND v.same_value = 0) AS x) AS c
    ON c.old_sentence = p.old_sentence
LEFT JOIN (SELECT DISTINCT x.new_sentence
           FROM (SELECT u.new_sentence FROM version_part_units AS u WHERE u.same = 0
                 UNION ALL
                 SELECT v.new_sentence FROM version_other_values AS v WHERE v.unit = 'sentence' AND v.same_value = 0) AS x) AS d
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
