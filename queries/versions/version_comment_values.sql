-- version_comment_values: comments of corresponding sentences of two versions of a corpus, but for those that are text,
--   newdoc and newpar, and sent_id where sentences correspond by their texts; one row per pair of sentences with some.
-- kind: relation
-- engine: duckdb: lists of comments
-- parameters: as version_sentences
-- parameter compared_comments TEXT(columns|all) = columns: which comments are compared: text, newdoc and newpar alone, which
--   are columns of `sentences`; or all
-- column old_sentence INTEGER: sentence of the old version
-- column old_word INTEGER: NULL, for a sentence has no position
-- column new_sentence INTEGER: sentence of the new version
-- column new_word INTEGER: the same in the new version
-- column form VARCHAR: NULL
-- column column_number INTEGER: number of the row of the column in version_agreement
-- column column_name VARCHAR: comments
-- column old_value VARCHAR: value in the old version, `_` where there is none; the lines that only this version has, with
--   bars between them, or all lines where the versions have them in another order or number
-- column new_value VARCHAR: value in the new version, likewise
-- column same_value BIGINT: 1 if the values are equal
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format
SELECT c.old_sentence, CAST(NULL AS INTEGER) AS old_word, c.new_sentence, CAST(NULL AS INTEGER) AS new_word,
       CAST(NULL AS VARCHAR) AS form, 4 AS column_number, 'comments' AS column_name,
       coalesce(nullif(array_to_string(CASE WHEN len(c.only_old) + len(c.only_new) = 0 THEN c.old_lines
                                            ELSE c.only_old END, ' | '), ''), '_') AS old_value,
       coalesce(nullif(array_to_string(CASE WHEN len(c.only_old) + len(c.only_new) = 0 THEN c.new_lines
                                            ELSE c.only_new END, ' | '), ''), '_') AS new_value,
       CAST(c.old_lines = c.new_lines AS BIGINT) AS same_value
FROM (SELECT b.old_sentence, b.new_sentence, b.old_lines, b.new_lines,
             list_filter(b.old_lines, lambda one: NOT list_contains(b.new_lines, one)) AS only_old,
             list_filter(b.new_lines, lambda one: NOT list_contains(b.old_lines, one)) AS only_new
      FROM (SELECT s.old_sentence, s.new_sentence,
                   list_filter(o.comments, lambda one: NOT regexp_matches(one, a.compared)) AS old_lines,
                   list_filter(n.comments, lambda one: NOT regexp_matches(one, a.compared)) AS new_lines
            FROM version_sentences AS s
            JOIN sentences AS o ON o.corpus = $old_corpus AND o.sentence = s.old_sentence
            JOIN sentences AS n ON n.corpus = $new_corpus AND n.sentence = s.new_sentence
            CROSS JOIN (SELECT '^#\s*(text\s*=|(newdoc|newpar)\s*((id\s*)?=|$)'
                                   || CASE WHEN $match = 'text' THEN '|sent_id\s*=)' ELSE ')' END AS compared) AS a
            WHERE $compared_comments = 'all') AS b) AS c
WHERE len(c.old_lines) + len(c.new_lines) > 0
