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
SELECT w.group_value, 11 AS column_number, 'form' AS column_name, w.old_form AS old_label, w.new_form AS new_label, CAST(count(*) AS BIGINT) AS pairs,
       CAST(sum(CAST(w.same_form AS BIGINT)) AS BIGINT) AS same_values
FROM version_grouped_words AS w
GROUP BY w.group_value, w.old_form, w.new_form
UNION ALL
SELECT w.group_value, 12, 'lemma', w.old_lemma, w.new_lemma, CAST(count(*) AS BIGINT),
       CAST(sum(CAST(w.same_lemma AS BIGINT)) AS BIGINT)
FROM version_grouped_words AS w
GROUP BY w.group_value, w.old_lemma, w.new_lemma
UNION ALL
SELECT w.group_value, 13, 'upos', w.old_upos, w.new_upos, CAST(count(*) AS BIGINT),
       CAST(sum(CAST(w.same_upos AS BIGINT)) AS BIGINT)
FROM version_grouped_words AS w
GROUP BY w.group_value, w.old_upos, w.new_upos
UNION ALL
SELECT w.group_value, 14, 'xpos', w.old_xpos, w.new_xpos, CAST(count(*) AS BIGINT),
       CAST(sum(CAST(w.same_xpos AS BIGINT)) AS BIGINT)
FROM version_grouped_words AS w
GROUP BY w.group_value, w.old_xpos, w.new_xpos
UNION ALL
SELECT w.group_value, 15, 'feats', w.old_feats, w.new_feats, CAST(count(*) AS BIGINT),
       CAST(sum(CAST(w.same_feats AS BIGINT)) AS BIGINT)
FROM version_grouped_words AS w
GROUP BY w.group_value, w.old_feats, w.new_feats
UNION ALL
SELECT w.group_value, 16, 'head', w.old_head_upos, w.new_head_upos, CAST(count(*) AS BIGINT),
       CAST(sum(CAST(w.same_head AS BIGINT)) AS BIGINT)
FROM version_grouped_words AS w
GROUP BY w.group_value, w.old_head_upos, w.new_head_upos
UNION ALL
SELECT w.group_value, 17, 'deprel', w.old_deprel, w.new_deprel, CAST(count(*) AS BIGINT),
       CAST(sum(CAST(w.same_deprel AS BIGINT)) AS BIGINT)
FROM version_grouped_words AS w
GROUP BY w.group_value, w.old_deprel, w.new_deprel
UNION ALL
SELECT w.group_value, 18, 'deps', w.old_relations, w.new_relations, CAST(count(*) AS BIGINT),
       CAST(sum(CAST(w.same_deps AS BIGINT)) AS BIGINT)
FROM version_grouped_words AS w
GROUP BY w.group_value, w.old_relations, w.new_relations
UNION ALL
SELECT w.group_value, 19, 'misc', w.old_misc, w.new_misc, CAST(count(*) AS BIGINT),
       CAST(sum(CAST(w.same_misc AS BIGINT)) AS BIGINT)
FROM version_grouped_words AS w
GROUP BY w.group_value, w.old_misc, w.new_misc
UNION ALL
SELECT g.group_value, g.column_number, g.column_name, g.old_label, g.new_label, CAST(count(*) AS BIGINT),
       CAST(sum(g.same_value) AS BIGINT)
FROM (SELECT CASE WHEN $grouping = 'upos' THEN coalesce(v.upos, '_')
                  WHEN $grouping = 'deprel' THEN coalesce(v.deprel, '_') ELSE '' END AS group_value,
             v.column_number, v.column_name, v.old_label, v.new_label, v.same_value
      FROM version_other_values AS v
      WHERE v.unit = 'word' OR $grouping = 'none') AS g
GROUP BY g.group_value, g.column_number, g.column_name, g.old_label, g.new_label
