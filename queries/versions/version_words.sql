-- version_words: words of two versions of a corpus that are aligned by their characters, inside corresponding sentences;
--   one row per pair.
-- kind: relation
-- engine: kernel: align_words aligns characters
-- parameters: as version_sentences
-- column old_sentence INTEGER: sentence of the old version
-- column old_word INTEGER: position in it
-- column new_sentence INTEGER: sentence of the new version
-- column new_word INTEGER: position in it
-- source: Needleman & Wunsch 1970, A general method applicable to the search for similarities
SELECT s.old_sentence, w.word AS old_word, s.new_sentence, w.word AS new_word
FROM version_sentence_words AS s
JOIN words AS w ON w.corpus = $old_corpus AND w.sentence = s.old_sentence
WHERE s.old_forms = s.new_forms
UNION ALL
SELECT p.old_sentence, p.pair.left_position AS old_word, p.new_sentence, p.pair.right_position AS new_word
FROM (SELECT s.old_sentence, s.new_sentence, unnest(align_words(s.old_forms, s.new_forms)) AS pair
      FROM version_sentence_words AS s
      WHERE s.old_forms <> s.new_forms) AS p
