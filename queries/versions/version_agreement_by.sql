-- version_agreement_by: version_agreement of groups of words; one row per group, for words and for each column.
-- kind: statistic
-- engine: kernel: version_words
-- parameters: as version_sentences
-- parameters: as version_comment_values (compared_comments)
-- parameter grouping TEXT(none|upos|deprel) = none: the old version's column by which words are grouped; a word that only
--   the new version has is in the group of its own value
-- column group VARCHAR: value of the group's words, `_` where it is unspecified; the one with most words comes first
-- column column VARCHAR: word, form, lemma, upos, xpos, feats, head, deprel, deps, misc or further_columns; all rows of
--   version_agreement if grouping = none
-- column same BIGINT: number of aligned words whose values are the same
-- column changed BIGINT: number of aligned words whose values differ
-- column agreement DOUBLE: same over same and changed
-- column kappa DOUBLE: Cohen's kappa of the labels; NULL for head, deps and the column of the groups, and where both
--   versions have the same single label
-- column alpha DOUBLE: Krippendorff's alpha of the labels, nominal; NULL likewise
-- column only_old BIGINT: number of words that only the old version has; NULL for columns
-- column only_new BIGINT: number of those that only the new version has
-- source: Cohen 1960, A coefficient of agreement for nominal scales; Krippendorff 2004, Content analysis, chapter 11
SELECT a.group_value AS group, a.name AS column, a.same, a.changed,
       CAST(a.same AS DOUBLE) / nullif(a.same + a.changed, 0) AS agreement, a.kappa, a.alpha, a.only_old, a.only_new
FROM (SELECT r.group_value, r.number, r.name, r.same, r.changed, r.kappa, r.alpha, r.only_old, r.only_new,
             max(r.same + r.changed) OVER (PARTITION BY r.group_value) AS largest
      FROM version_rows AS r) AS a
ORDER BY a.largest DESC, a.group_value, a.number
