-- version_changes: values of the old version that the new one has changed, and to what; one row per column and pair of
--   values.
-- kind: statistic
-- engine: kernel: version_words
-- parameters: as version_sentences
-- parameters: as version_comment_values (compared_comments)
-- parameters: as changed_words (changed_column)
-- parameters: as version_agreement_by (grouping)
-- column group VARCHAR: value of the words' group in the old version; empty if they are not grouped
-- column column VARCHAR: the column, as version_agreement names it
-- column old VARCHAR: value in the old version, as marked_text writes it, `_` where it is unspecified; of head, the part of speech of the head, ROOT
--   for a root; of deps, the relations
-- column new VARCHAR: value in the new version, likewise
-- column words BIGINT: number of aligned words with this change; of other rows, of sentences, multiword tokens or empty nodes
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format
SELECT c.group_value AS group, c.column_name AS column, marked_text(c.old_label, c.new_label) AS old,
       marked_text(c.new_label, c.old_label) AS new, c.pairs - c.same_values AS words
FROM version_counts AS c
WHERE c.pairs > c.same_values AND ($changed_column = 'any' OR c.column_name = $changed_column)
ORDER BY c.pairs - c.same_values DESC, c.column_number, c.old_label, c.new_label, c.group_value
