-- version_further_values: what both versions of a corpus have in columns beyond those of CoNLL-U, of their aligned words; one
--   row per pair of words of which one has a value there.
-- kind: relation
-- engine: kernel: version_words
-- parameters: as version_sentences
-- column old_sentence INTEGER: sentence of the old version
-- column old_word INTEGER: position of the word
-- column new_sentence INTEGER: sentence of the new version
-- column new_word INTEGER: the same in the new version
-- column form VARCHAR: the old word
-- column upos VARCHAR: its part of speech in the old version
-- column deprel VARCHAR: its relation in the old version
-- column column_number INTEGER: number of the row of the column in version_agreement
-- column column_name VARCHAR: further_columns
-- column old_value VARCHAR: value in the old version, `_` where there is none, as `NAME=VALUE`
-- column new_value VARCHAR: value in the new version, likewise
-- column same_value BIGINT: 1 if the values are equal
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format
SELECT p.old_sentence, p.old_word, p.new_sentence, p.new_word, w.form, w.upos, w.deprel, 20 AS column_number,
       'further_columns' AS column_name, coalesce(j.further, '_') AS old_value, coalesce(k.further, '_') AS new_value,
       CAST(j.further IS NOT DISTINCT FROM k.further AS BIGINT) AS same_value
FROM version_words AS p
JOIN words AS w ON w.corpus = $old_corpus AND w.sentence = p.old_sentence AND w.word = p.old_word
LEFT JOIN version_further_columns(side_corpus := $old_corpus) AS j
    ON j.unit = 'word' AND j.sentence = p.old_sentence AND j.word = p.old_word
LEFT JOIN version_further_columns(side_corpus := $new_corpus) AS k
    ON k.unit = 'word' AND k.sentence = p.new_sentence AND k.word = p.new_word
WHERE j.further IS NOT NULL OR k.further IS NOT NULL
