-- labelled_trees: constituency trees as lists with labels and tags, for the edit distance; one row per sentence.
-- kind: relation
-- engine: duckdb: packs rows into lists
-- parameter tree_corpus TEXT: corpus of the trees
-- column sentence INTEGER: the sentence
-- column tree STRUCT(parents INTEGER[], labels UBIGINT[], phrases INTEGER[], tags UBIGINT[], forms UBIGINT[], kinds
--   UTINYINT[]): as in packed_trees, with the keys of labels of phrases and tags of words
-- source: DuckDB, lists
SELECT c.sentence,
       struct_pack(parents := c.parent_list, labels := list_select(k.keys, c.label_list), phrases := c.phrase_list,
                   tags := list_select(k.keys, c.tag_list), forms := c.form_list,
                   kinds := list_select(k.kinds, c.tag_list)) AS tree
FROM constituent_lists AS c
CROSS JOIN (SELECT list(coalesce(md5_number_lower(l.label), 0) ORDER BY l.number) AS keys,
                   list(CAST(CASE WHEN l.label = '-NONE-' THEN 2 ELSE 0 END AS UTINYINT) ORDER BY l.number) AS kinds
            FROM constituent_labels AS l
            WHERE l.corpus = $tree_corpus) AS k
WHERE c.corpus = $tree_corpus
