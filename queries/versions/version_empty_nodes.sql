-- version_empty_nodes: empty nodes of two versions of a corpus that are aligned by the characters of their forms, between the
--   same aligned words; one row per pair.
-- kind: relation
-- engine: kernel: align_words aligns characters
-- parameters: as version_sentences
-- column old_sentence INTEGER: sentence of the old version
-- column old_word INTEGER: the word that the node follows in it
-- column old_index INTEGER: the node's number there
-- column new_sentence INTEGER: sentence of the new version
-- column new_word INTEGER: the word that the node follows in it
-- column new_index INTEGER: the node's number there
-- source: Needleman & Wunsch 1970, A general method applicable to the search for similarities
SELECT a.old_sentence, o.word AS old_word, o.node AS old_index, a.new_sentence, n.word AS new_word, n.node AS new_index
FROM (SELECT s.old_sentence, s.new_sentence, o.word_before,
             unnest(align_words(o.node_forms, n.node_forms)) AS pair
      FROM version_sentences AS s
      JOIN (SELECT e.sentence, e.word_before, list(e.form ORDER BY e.place) AS node_forms
            FROM version_old_nodes AS e
            GROUP BY e.sentence, e.word_before) AS o ON o.sentence = s.old_sentence
      JOIN (SELECT e.sentence, e.word_before, list(e.form ORDER BY e.place) AS node_forms
            FROM version_new_nodes AS e
            GROUP BY e.sentence, e.word_before) AS n
          ON n.sentence = s.new_sentence AND n.word_before = o.word_before) AS a
JOIN version_old_nodes AS o
    ON o.sentence = a.old_sentence AND o.word_before = a.word_before AND o.place = a.pair.left_position
JOIN version_new_nodes AS n
    ON n.sentence = a.new_sentence AND n.word_before = a.word_before AND n.place = a.pair.right_position
