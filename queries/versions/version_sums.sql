-- version_sums: what the agreement of two versions of a corpus is computed from, which adds up over parts of their sentences;
--   one row per group, column and pair of labels, and per group and unit.
-- kind: relation
-- engine: kernel: version_words
-- parameters: as version_sentences
-- parameters: as version_comment_values (compared_comments)
-- parameters: as version_agreement_by (grouping)
-- column unit VARCHAR: sentence, word, range (a multiword token) or empty_node; NULL for columns
-- column group_value VARCHAR: value of the group's words in the old version, else in the new one, `_` where it is unspecified;
--   empty if they are not grouped
-- column column_number INTEGER: number of the row of the column in version_agreement; NULL for units
-- column column_name VARCHAR: the column, as version_agreement names it; NULL for units
-- column old_label VARCHAR: label of the old version, as in version_counts; NULL for units
-- column new_label VARCHAR: label of the new version, likewise
-- column same BIGINT: number of pairs that did not change
-- column changed BIGINT: number of pairs that did
-- column only_old BIGINT: number of units that only the old version has; 0 for columns
-- column only_new BIGINT: number of those that only the new version has
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format
SELECT CAST(NULL AS VARCHAR) AS unit, c.group_value, c.column_number, c.column_name, c.old_label, c.new_label,
       c.same_values AS same, c.pairs - c.same_values AS changed, CAST(0 AS BIGINT) AS only_old,
       CAST(0 AS BIGINT) AS only_new
FROM version_counts AS c
UNION ALL
SELECT u.unit, u.group_value, NULL, NULL, NULL, NULL, CAST(sum(u.same) AS BIGINT), CAST(sum(u.changed) AS BIGINT),
       CAST(sum(u.only_old) AS BIGINT), CAST(sum(u.only_new) AS BIGINT)
FROM (SELECT x.unit, CASE WHEN $grouping = 'upos' THEN coalesce(x.upos, '_')
                          WHEN $grouping = 'deprel' THEN coalesce(x.deprel, '_') ELSE '' END AS group_value,
             x.same, x.changed, x.only_old, x.only_new
      FROM version_units AS x) AS u
GROUP BY u.unit, u.group_value
