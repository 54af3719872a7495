-- version_new_nodes: empty nodes of the new version of a corpus, with the aligned word before each; one row per node.
-- kind: relation
-- engine: kernel: version_words
-- parameters: as version_sentences
-- column sentence INTEGER: sentence of the new version
-- column word INTEGER: the word that the node follows
-- column node INTEGER: the node's number there
-- column word_before INTEGER: position in the new version of the last word before it that both versions have, 0 for none
-- column place BIGINT: the node's place among those after this word
-- column form VARCHAR: its form, `_` where it has none
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format
SELECT b.sentence, b.word, b.node, b.word_before,
       row_number() OVER (PARTITION BY b.sentence, b.word_before ORDER BY b.word, b.node) AS place, b.form
FROM (SELECT e.sentence, e.word, e.index AS node, coalesce(e.form, '_') AS form, coalesce(max(p.new_word), 0) AS word_before
      FROM empty_nodes AS e
      LEFT JOIN version_words AS p ON p.new_sentence = e.sentence AND p.new_word <= e.word
      WHERE e.corpus = $new_corpus
      GROUP BY e.sentence, e.word, e.index, e.form) AS b
