-- phrase_labels: keys of the labels of the phrases of constituency trees as lists; one row per sentence.
-- kind: relation
-- engine: duckdb: packs rows into lists
-- parameters: as labelled_trees
-- parameters: as robinson_foulds (rules)
-- column sentence INTEGER: the sentence
-- column label_keys UBIGINT[]: for its phrases, in preorder, keys of their labels, the same for labels that EQ_LABEL takes for
--   equal; 0 for no label, and for all where labels are not compared
-- source: DuckDB, lists
SELECT c.sentence, list_select(k.keys, c.label_list) AS label_keys
FROM constituent_lists AS c
CROSS JOIN (SELECT list(CASE WHEN r.labelled THEN coalesce(md5_number_lower(l.label), 0) ELSE 0 END ORDER BY l.number) AS keys
            FROM evalb_labels AS l
            CROSS JOIN evalb_rules AS r) AS k
WHERE c.corpus = $tree_corpus
