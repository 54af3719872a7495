-- packed_trees: constituency trees as lists, for the functions that compare whole trees; one row per sentence.
-- kind: relation
-- engine: duckdb: packs rows into lists
-- parameters: as labelled_trees
-- parameter punctuation TEXT(keep|drop) = keep: whether words that the parameter set deletes by their tags are kept
-- parameters: as robinson_foulds (rules)
-- column sentence INTEGER: the sentence
-- column tree STRUCT(parents INTEGER[], phrases INTEGER[], forms UBIGINT[], kinds UTINYINT[]): for its phrases, in
--   preorder, the numbers of their parents, 0 for none; for its words the numbers of their parents, 0 for none, keys of
--   their forms, and 0, or 1 if a word is dropped, 2 for a trace
-- source: DuckDB, lists
SELECT c.sentence,
       struct_pack(parents := c.parent_list, phrases := c.phrase_list, forms := c.form_list,
                   kinds := list_select(k.kinds, c.tag_list)) AS tree
FROM constituent_lists AS c
CROSS JOIN (SELECT list(CAST(CASE WHEN l.trace THEN 2
                                  WHEN l.deleted AND $punctuation = 'drop' THEN 1
                                  ELSE 0 END AS UTINYINT) ORDER BY l.number) AS kinds
            FROM evalb_labels AS l) AS k
CROSS JOIN evalb_rules AS r
WHERE c.corpus = $tree_corpus AND r.labelled IS NOT NULL
