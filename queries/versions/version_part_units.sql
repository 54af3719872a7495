-- version_part_units: words, multiword tokens and empty nodes of two versions of a corpus, with their counterparts; one row
--   per aligned pair, and per word, token or node that only one version has.
-- kind: relation
-- engine: kernel: version_words
-- parameters: as version_sentences
-- parameters: as version_comment_values (compared_comments)
-- column unit VARCHAR: word, range (a multiword token) or empty_node
-- column old_sentence INTEGER: sentence of the old version; NULL for what only the new one has
-- column old_word INTEGER: position of the old word, of the first word of a range, or of the word that a node follows
-- column new_sentence INTEGER: sentence of the new version; NULL for what only the old one has
-- column new_word INTEGER: position in it, likewise
-- column form VARCHAR: the word in the old version, else in the new one; a range as `3-4 FORM`, an empty node as `4.1 FORM`
-- column upos VARCHAR: part of speech of a word, likewise; NULL for the rest
-- column deprel VARCHAR: its relation, likewise
-- column same BIGINT: 1 if all columns are the same
-- column changed BIGINT: 1 if it is in both versions and a column changed
-- column only_old BIGINT: 1 if only the old version has it
-- column only_new BIGINT: 1 if only the new version has it
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format
SELECT 'word' AS unit, s.old_sentence, s.old_word, s.new_sentence, s.new_word, s.form, s.upos, s.deprel, s.same,
       1 - s.same AS changed, CAST(0 AS BIGINT) AS only_old, CAST(0 AS BIGINT) AS only_new
FROM (SELECT p.old_sentence, p.old_word, p.new_sentence, p.new_word, p.old_form AS form, p.upos, p.deprel,
             CAST(CASE WHEN p.same_form AND p.same_lemma AND p.same_upos AND p.same_xpos AND p.same_feats AND p.same_head
                            AND p.same_deprel AND p.same_deps AND p.same_misc AND v.old_word IS NULL THEN 1
                       ELSE 0 END AS BIGINT) AS same
      FROM version_word_columns AS p
      LEFT JOIN version_further_values AS v
          ON v.old_sentence = p.old_sentence AND v.old_word = p.old_word AND v.same_value = 0) AS s
UNION ALL
SELECT v.unit, v.old_sentence, v.old_word, v.new_sentence, v.new_word, v.form, v.upos, v.deprel,
       CAST(min(v.same_value) AS BIGINT), CAST(1 - min(v.same_value) AS BIGINT), 0, 0
FROM version_other_values AS v
WHERE v.unit IN ('range', 'empty_node')
GROUP BY v.unit, v.old_sentence, v.old_word, v.new_sentence, v.new_word, v.form, v.upos, v.deprel
UNION ALL
SELECT 'word', w.sentence, w.word, NULL, NULL, w.form, w.upos, w.deprel, 0, 0, 1, 0
FROM words AS w
WHERE w.corpus = $old_corpus
  AND NOT EXISTS (SELECT 1 FROM version_words AS p WHERE p.old_sentence = w.sentence AND p.old_word = w.word)
UNION ALL
SELECT 'range', w.sentence, w.first, NULL, NULL,
       CAST(w.first AS VARCHAR) || '-' || CAST(w.last AS VARCHAR) || ' ' || w.form, NULL, NULL, 0, 0, 1, 0
FROM tokens AS w
WHERE w.corpus = $old_corpus
  AND NOT EXISTS (SELECT 1 FROM version_ranges AS p WHERE p.old_sentence = w.sentence AND p.old_word = w.first)
UNION ALL
SELECT 'empty_node', w.sentence, w.word, NULL, NULL,
       CAST(w.word AS VARCHAR) || '.' || CAST(w.index AS VARCHAR) || ' ' || coalesce(w.form, '_'), NULL, NULL, 0, 0, 1, 0
FROM empty_nodes AS w
WHERE w.corpus = $old_corpus
  AND NOT EXISTS (SELECT 1
                  FROM version_empty_nodes AS p
                  WHERE p.old_sentence = w.sentence AND p.old_word = w.word AND p.old_index = w.index)
UNION ALL
SELECT 'word', NULL, NULL, w.sentence, w.word, w.form, w.upos, w.deprel, 0, 0, 0, 1
FROM words AS w
WHERE w.corpus = $new_corpus
  AND NOT EXISTS (SELECT 1 FROM version_words AS p WHERE p.new_sentence = w.sentence AND p.new_word = w.word)
UNION ALL
SELECT 'range', NULL, NULL, w.sentence, w.first,
       CAST(w.first AS VARCHAR) || '-' || CAST(w.last AS VARCHAR) || ' ' || w.form, NULL, NULL, 0, 0, 0, 1
FROM tokens AS w
WHERE w.corpus = $new_corpus
  AND NOT EXISTS (SELECT 1 FROM version_ranges AS p WHERE p.new_sentence = w.sentence AND p.new_word = w.first)
UNION ALL
SELECT 'empty_node', NULL, NULL, w.sentence, w.word,
       CAST(w.word AS VARCHAR) || '.' || CAST(w.index AS VARCHAR) || ' ' || coalesce(w.form, '_'), NULL, NULL, 0, 0, 0, 1
FROM empty_nodes AS w
WHERE w.corpus = $new_corpus
  AND NOT EXISTS (SELECT 1
                  FROM version_empty_nodes AS p
                  WHERE p.new_sentence = w.sentence AND p.new_word = w.word AND p.new_index = w.index)
