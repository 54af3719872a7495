-- version_other_values: version_values but for the columns of words, `further_columns` apart; one row per pair and column.
-- kind: relation
-- engine: kernel: version_words
-- parameters: as version_sentences
-- parameters: as version_comment_values (compared_comments)
-- column unit VARCHAR: word, sentence, range (a multiword token) or empty_node
-- column old_sentence INTEGER: sentence of the old version
-- column old_word INTEGER: position in it: of the word, the first word of a range, or the word that a node follows; NULL for
--   sentences
-- column new_sentence INTEGER: sentence of the new version
-- column new_word INTEGER: position in it, likewise
-- column form VARCHAR: the old word, a range as `3-4 FORM`, an empty node as `4.1 FORM`; NULL for sentences
-- column upos VARCHAR: part of speech of a word in the old version; NULL for the rest
-- column deprel VARCHAR: its relation in the old version
-- column column_number INTEGER: number of the row of the column in version_agreement
-- column column_name VARCHAR: the column, as version_agreement names it
-- column old_value VARCHAR: value in the old version, `_` where it is unspecified; of head, position and form of the head
-- column new_value VARCHAR: value in the new version, likewise
-- column old_label VARCHAR: what is counted: the value; of head, the part of speech of the head, ROOT for a root; of
--   deps, the relations
-- column new_label VARCHAR: the same of the new version
-- column same_value BIGINT: 1 if the values are equal; of head and deps, if the heads are aligned with each other
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format
SELECT 'word' AS unit, v.old_sentence, v.old_word, v.new_sentence, v.new_word, v.form, v.upos, v.deprel, v.column_number,
       v.column_name, v.old_value, v.new_value, v.old_value AS old_label, v.new_value AS new_label, v.same_value
FROM version_further_values AS v
UNION ALL
SELECT 'sentence', v.old_sentence, v.old_word, v.new_sentence, v.new_word, v.form, NULL, NULL, v.column_number, v.column_name,
       v.old_value, v.new_value, v.old_value, v.new_value, v.same_value
FROM version_sentence_values AS v
UNION ALL
SELECT 'sentence', v.old_sentence, v.old_word, v.new_sentence, v.new_word, v.form, NULL, NULL, v.column_number, v.column_name,
       v.old_value, v.new_value, v.old_value, v.new_value, v.same_value
FROM version_comment_values AS v
UNION ALL
SELECT 'range', v.old_sentence, v.old_word, v.new_sentence, v.new_word, v.form, NULL, NULL, v.column_number, v.column_name,
       v.old_value, v.new_value, v.old_value, v.new_value, v.same_value
FROM version_range_values AS v
UNION ALL
SELECT 'empty_node', v.old_sentence, v.old_word, v.new_sentence, v.new_word, v.form, NULL, NULL, v.column_number, v.column_name,
       v.old_value, v.new_value, v.old_value, v.new_value, v.same_value
FROM version_node_values AS v
