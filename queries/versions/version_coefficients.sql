-- version_coefficients: agreement of two versions of a corpus on their aligned words, and agreement beyond chance; one row
--   per group and column.
-- kind: relation
-- engine: kernel: version_words
-- parameters: as version_sentences
-- parameters: as version_comment_values (compared_comments)
-- parameters: as version_agreement_by (grouping)
-- column group_value VARCHAR: value of the group's words in the old version; empty if they are not grouped
-- column column_number INTEGER: number of the row of the column in version_agreement
-- column column_name VARCHAR: the column, as version_agreement names it
-- column same BIGINT: number of pairs whose values are the same
-- column changed BIGINT: number of pairs whose values differ
-- column kappa DOUBLE: Cohen's kappa, with P(e) = sum of n(old) n(new) / N^2 over all labels; NULL where both versions
--   have the same single label, for head and deps, whose labels are positions, for the column of the groups, in which the
--   old version has a single label, and for columns of sentences, multiword tokens and empty nodes
-- column alpha DOUBLE: Krippendorff's alpha for nominal labels of two annotators, 1 - (n - 1) * sum of n(c, k) / sum of
--   n(c) n(k) over labels c <> k, with n = 2 N values; NULL likewise
-- source: Cohen 1960, A coefficient of agreement for nominal scales; Krippendorff 2004, Content analysis, chapter 11
SELECT t.group_value, t.column_number, t.column_name, t.same, t.changed,
       CASE WHEN t.column_number NOT BETWEEN 11 AND 19 OR t.column_name IN ('head', 'deps', $grouping) THEN NULL
            ELSE (t.pairs * t.same - m.products) / nullif(t.pairs * t.pairs - m.products, 0) END AS kappa,
       CASE WHEN t.column_number NOT BETWEEN 11 AND 19 OR t.column_name IN ('head', 'deps', $grouping)
                 OR m.squares = 4 * t.pairs * t.pairs THEN NULL
            ELSE 1 - (2 * t.pairs - 1) * 2 * t.changed / (4 * t.pairs * t.pairs - m.squares) END AS alpha
FROM (SELECT c.group_value, c.column_number, c.column_name, CAST(sum(c.pairs) AS DOUBLE) AS pairs,
             CAST(sum(c.same_values) AS BIGINT) AS same, CAST(sum(c.pairs - c.same_values) AS BIGINT) AS changed
      FROM version_counts AS c
      GROUP BY c.group_value, c.column_number, c.column_name) AS t
JOIN (SELECT l.group_value, l.column_number, CAST(sum(l.old_count * l.new_count) AS DOUBLE) AS products,
             CAST(sum((l.old_count + l.new_count) * (l.old_count + l.new_count)) AS DOUBLE) AS squares
      FROM (SELECT b.group_value, b.column_number, b.label, sum(b.old_count) AS old_count, sum(b.new_count) AS new_count
            FROM (SELECT c.group_value, c.column_number, c.old_label AS label, c.pairs AS old_count, 0 AS new_count
                  FROM version_counts AS c
                  UNION ALL
                  SELECT c.group_value, c.column_number, c.new_label AS label, 0 AS old_count, c.pairs AS new_count
                  FROM version_counts AS c) AS b
            GROUP BY b.group_value, b.column_number, b.label) AS l
      GROUP BY l.group_value, l.column_number) AS m
    ON m.group_value = t.group_value AND m.column_number = t.column_number
