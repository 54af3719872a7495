-- version_ranges: multiword tokens of two versions of a corpus that correspond: the first of the words of each that is
--   aligned with a word of a multiword token is aligned with one of the other; one row per pair.
-- kind: relation
-- engine: kernel: version_words
-- parameters: as version_sentences
-- column old_sentence INTEGER: sentence of the old version
-- column old_word INTEGER: position of the token's first word in it
-- column new_sentence INTEGER: sentence of the new version
-- column new_word INTEGER: position of the token's first word in it
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format
SELECT r.old_sentence, r.old_word, r.new_sentence, r.new_word
FROM (SELECT p.old_sentence, o.first AS old_word, p.new_sentence, n.first AS new_word,
             row_number() OVER (PARTITION BY p.old_sentence, o.first ORDER BY p.old_word) AS place_in_old,
             row_number() OVER (PARTITION BY p.new_sentence, n.first ORDER BY p.new_word) AS place_in_new
      FROM version_words AS p
      JOIN tokens AS o ON o.corpus = $old_corpus AND o.sentence = p.old_sentence AND p.old_word BETWEEN o.first AND o.last
      JOIN tokens AS n ON n.corpus = $new_corpus AND n.sentence = p.new_sentence AND p.new_word BETWEEN n.first AND n.last
     ) AS r
WHERE r.place_in_old = 1 AND r.place_in_new = 1
