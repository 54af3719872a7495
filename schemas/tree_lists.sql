-- tree_lists: every dependency tree as lists over its words, for functions on trees; one row per parsed sentence.
-- kind: view
-- engine: duckdb: lists
-- column corpus VARCHAR: its corpus
-- column sentence INTEGER: its sentence
-- column form_list VARCHAR[]: the words in order
-- column head_list INTEGER[]: the position of each word's head, 0 for a root
-- column relation_list VARCHAR[]: each word's relation with its subtype, `_` if it is unspecified
-- source: Buchholz & Marsi 2006, CoNLL-X shared task on multilingual dependency parsing
SELECT t.corpus, t.sentence,
       CASE WHEN t.in_order THEN t.forms ELSE list_select(t.forms, list_grade_up(t.positions)) END AS form_list,
       CASE WHEN t.in_order THEN t.heads ELSE list_select(t.heads, list_grade_up(t.positions)) END AS head_list,
       CASE WHEN t.in_order THEN t.relations ELSE list_select(t.relations, list_grade_up(t.positions)) END AS relation_list
-- Rows are loaded in order: to check that takes half the time of `list(... ORDER BY ...)`. Lists of one GROUP BY take its
-- rows in one order.
FROM (SELECT l.corpus, l.sentence, l.positions, l.positions = list_sort(l.positions) AS in_order, l.forms, l.heads,
             l.relations
      FROM (SELECT w.corpus, w.sentence, list(w.word) AS positions, list(w.form) AS forms, list(w.head) AS heads,
                   list(coalesce(w.deprel, '_')) AS relations
            FROM words AS w
            WHERE w.head IS NOT NULL
            GROUP BY w.corpus, w.sentence) AS l) AS t
