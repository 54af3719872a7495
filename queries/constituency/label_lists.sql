-- label_lists: properties of the labels and tags of one of two corpora in a parameter file of EVALB, as lists by their
--   numbers; one row.
-- kind: relation
-- engine: duckdb: packs rows into lists
-- parameters: as robinson_foulds (gold_corpus, system_corpus)
-- parameter tree_corpus TEXT: one of the two corpora
-- parameters: as robinson_foulds (rules)
-- column labels STRUCT(classes INTEGER[], kinds UTINYINT[]): numbers of compared_labels, 0 for no label; and the sum of
--   1 where brackets with this label are ignored, 2 where words with this tag are deleted, 4 where they may be
--   quotation marks with a wrong tag, and 8 where they do not count for the length
-- source: DuckDB, lists
SELECT struct_pack(classes := coalesce(list(n.class ORDER BY n.number), []),
                   kinds := coalesce(list(n.kind ORDER BY n.number), [])) AS labels
FROM (SELECT l.number, coalesce(c.number, 0) AS class,
             CAST(CASE WHEN l.left_out THEN 1 ELSE 0 END + CASE WHEN l.deleted THEN 2 ELSE 0 END
                  + CASE WHEN l.quote THEN 4 ELSE 0 END + CASE WHEN l.uncounted THEN 8 ELSE 0 END AS UTINYINT) AS kind
      FROM evalb_labels AS l
      LEFT JOIN compared_labels AS c ON c.label = l.label) AS n
