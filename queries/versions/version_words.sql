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
SELECT p.old_sentence, p.pair.left_position AS old_word, p.new_sentence, p.pair.right_position AS new_word
FROM (SELECT s.old_sentence, s.new_sentence, unnest(align_words(o.word_forms, n.word_forms)) AS pair
      FROM version_sentences AS s
      JOIN version_texts(side_corpus := $old_corpus) AS o ON o.sentence = s.old_sentence
      JOIN version_texts(side_corpus := $new_corpus) AS n ON n.sentence = s.new_sentence) AS p
