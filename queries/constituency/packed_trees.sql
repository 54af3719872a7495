-- packed_trees: constituency trees as lists, for the functions that compare whole trees; one row per sentence.
-- kind: relation
-- engine: duckdb: packs rows into lists
-- parameter tree_corpus TEXT: corpus of the trees
-- parameter punctuation TEXT(keep|drop) = keep: whether words that the parameter set leaves out by their tags stay
-- parameter rules TEXT = COLLINS: parameter set of the table evalb_parameters
-- column sentence INTEGER: the sentence
-- column tree STRUCT(nodes INTEGER[], parents INTEGER[], words INTEGER[], phrases INTEGER[], forms UBIGINT[], kinds UTINYINT[]): in
--   any order, of its phrases their numbers and the phrases above, 0 for none; of its words positions, phrases above, 0
--   for none, hashed forms, and 0, or 1 if it is dropped, 2 for a trace
-- source: DuckDB, lists
SELECT s.sentence,
       struct_pack(nodes := coalesce(n.nodes, []), parents := coalesce(n.parents, []), words := coalesce(l.words, []),
                   phrases := coalesce(l.phrases, []), forms := coalesce(l.forms, []),
                   kinds := coalesce(l.kinds, [])) AS tree
FROM sentences AS s
CROSS JOIN evalb_rules AS r
LEFT JOIN (SELECT c.sentence, list(c.node) AS nodes, list(coalesce(c.parent, 0)) AS parents
           FROM constituents AS c
           WHERE c.corpus = $tree_corpus
           GROUP BY c.sentence) AS n ON n.sentence = s.sentence
LEFT JOIN (SELECT w.sentence, list(w.word) AS words, list(coalesce(w.phrase, 0)) AS phrases,
                  list(hash(w.form)) AS forms,
                  list(CAST(CASE WHEN w.xpos = '-NONE-' THEN 2
                                 WHEN d.value IS NOT NULL THEN 1
                                 ELSE 0 END AS UTINYINT)) AS kinds
           FROM words AS w
           LEFT JOIN (SELECT e.value
                      FROM evalb_parameters AS e
                      WHERE e.parameter_set = $rules AND e.parameter = 'DELETE_LABEL'
                        AND $punctuation = 'drop') AS d ON d.value = w.xpos
           WHERE w.corpus = $tree_corpus
           GROUP BY w.sentence) AS l ON l.sentence = s.sentence
WHERE s.corpus = $tree_corpus AND r.labelled IS NOT NULL
