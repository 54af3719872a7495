-- version_rows: agreement of two versions of a corpus on sentences, words and columns; one row per group and of these.
-- kind: relation
-- engine: kernel: version_words
-- parameters: as version_sentences
-- parameters: as version_agreement_by (grouping)
-- column group_value VARCHAR: value of the group's words; empty if they are not grouped
-- column number INTEGER: number of the row in its group: -1 for sentences, 0 for words, then columns as in CoNLL-U
-- column name VARCHAR: sentence, word, or the column
-- column same BIGINT: number of those in both versions without a change
-- column changed BIGINT: number of those in both versions with a change
-- column kappa DOUBLE: Cohen's kappa of a column
-- column alpha DOUBLE: Krippendorff's alpha of a column
-- column only_old BIGINT: number of sentences or words that only the old version has
-- column only_new BIGINT: number of those that only the new version has
-- source: Cohen 1960, A coefficient of agreement for nominal scales; Krippendorff 2004, Content analysis, chapter 11
SELECT u.group_value, CASE WHEN u.unit = 'sentence' THEN -1 ELSE 0 END AS number, u.unit AS name,
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
