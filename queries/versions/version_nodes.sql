-- version_nodes: what heads of enhanced dependencies correspond to in another version of a corpus; one row per pair of
--   words, and per pair of empty nodes.
-- kind: relation
-- engine: kernel: version_words
-- parameters: as version_sentences
-- column old_sentence INTEGER: sentence of the old version
-- column old_word INTEGER: position of the word, or of the word that an empty node follows
-- column old_index INTEGER: 0 for a word, the number of an empty node otherwise
-- column new_word INTEGER: the same in the new version
-- column new_index INTEGER: the same in the new version
-- source: de Marneffe et al. 2021, Universal Dependencies: enhanced dependencies
SELECT p.old_sentence, p.old_word, 0 AS old_index, p.new_word, 0 AS new_index
FROM version_words AS p
UNION ALL
SELECT e.old_sentence, e.old_word, e.old_index, e.new_word, e.new_index
FROM version_empty_nodes AS e
