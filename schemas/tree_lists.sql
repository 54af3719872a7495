-- tree_lists: every dependency tree as lists over its words, for functions on trees; one row per parsed sentence.
-- kind: view
-- engine: duckdb: lists
-- column corpus VARCHAR: its corpus
-- column sentence INTEGER: its sentence
-- column form_list VARCHAR[]: the words in order
-- column head_list INTEGER[]: the position of each word's head, 0 for a root
-- column relation_list VARCHAR[]: each word's relation with its subtype, `_` if it is unspecified
-- source: Buchholz & Marsi 2006, CoNLL-X shared task on multilingual dependency parsing
SELECT w.corpus, w.sentence, list(w.form ORDER BY w.word) AS form_list, list(w.head ORDER BY w.word) AS head_list,
       list(coalesce(w.deprel, '_') ORDER BY w.word) AS relation_list
FROM words AS w
WHERE w.head IS NOT NULL
GROUP BY w.corpus, w.sentence
