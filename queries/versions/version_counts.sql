-- version_counts: how often a label of the old version is aligned with one of the new version; one row per group, column
--   and pair of labels.
-- kind: relation
-- engine: kernel: version_words
-- parameters: as version_sentences
-- parameters: as version_comment_values (compared_comments)
-- parameters: as version_agreement_by (grouping)
-- column group_value VARCHAR: value of the group's words in the old version, `_` where it is unspecified; empty if they
--   are not grouped
-- column column_number INTEGER: number of the row of the column in version_agreement
-- column column_name VARCHAR: the column, as version_agreement names it
-- column old_label VARCHAR: label of the old version; of head, the part of speech of the head; of
--   deps, the relations
-- column new_label VARCHAR: label of the new version, likewise
-- column pairs BIGINT: number of pairs of words with these labels
-- column same_values BIGINT: number of them that did not change
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format
SELECT g.group_value, g.column_number, g.column_name, g.old_label, g.new_label, CAST(count(*) AS BIGINT) AS pairs,
       CAST(sum(g.same_value) AS BIGINT) AS same_values
FROM (SELECT CASE WHEN $grouping = 'upos' THEN coalesce(v.upos, '_')
                  WHEN $grouping = 'deprel' THEN coalesce(v.deprel, '_') ELSE '' END AS group_value,
             v.column_number, v.column_name, v.old_label, v.new_label, v.same_value
      FROM version_values AS v
      WHERE v.unit = 'word' OR $grouping = 'none') AS g
GROUP BY g.group_value, g.column_number, g.column_name, g.old_label, g.new_label
