-- version_rows: agreement of two versions of a corpus on sentences, words, multiword tokens, empty nodes and columns; one row per
--   group and of these.
-- kind: relation
-- engine: kernel: version_words
-- parameters: as version_sentences
-- parameters: as version_agreement_by (grouping)
-- parameters: as version_comment_values (compared_comments)
-- column group_value VARCHAR: value of the group's words; empty if they are not grouped
-- column number INTEGER: number of the row in its group: 0 for sentences, 10 for words, 40 for multiword tokens, 60 for empty
--   nodes, and their columns after each
-- column name VARCHAR: sentence, word, range, empty_node, or the column
-- column same BIGINT: number of those in both versions without a change
-- column changed BIGINT: number of those in both versions with a change
-- column kappa DOUBLE: Cohen's kappa of a column
-- column alpha DOUBLE: Krippendorff's alpha of a column
-- column only_old BIGINT: number of sentences, words, multiword tokens or empty nodes that only the old version has
-- column only_new BIGINT: number of those that only the new version has
-- source: Cohen 1960, A coefficient of agreement for nominal scales; Krippendorff 2004, Content analysis, chapter 11
SELECT u.group_value, CASE u.unit WHEN 'sentence' THEN 0 WHEN 'word' THEN 10 WHEN 'range' THEN 40 ELSE 60 END AS number, u.unit AS name,
       CAST(sum(u.same) AS BIGINT) AS same, CAST(sum(u.changed) AS BIGINT) AS changed, CAST(NULL AS DOUBLE) AS kappa,
       CAST(NULL AS DOUBLE) AS alpha, CAST(sum(u.only_old) AS BIGINT) AS only_old,
       CAST(sum(u.only_new) AS BIGINT) AS only_new
FROM (SELECT CASE WHEN $grouping = 'upos' THEN coalesce(x.upos, '_')
                  WHEN $grouping = 'deprel' THEN coalesce(x.deprel, '_') ELSE '' END AS group_value,
             x.unit, x.same, x.changed, x.only_old, x.only_new
      FROM version_units AS x
      WHERE x.unit = 'word' OR $grouping = 'none') AS u
GROUP BY u.group_value, u.unit
UNION ALL
SELECT c.group_value, c.column_number, c.column_name, c.same, c.changed, c.kappa, c.alpha, NULL, NULL
FROM version_coefficients AS c
