-- label_lists: properties of the labels and tags of two corpora in a parameter file of EVALB, as lists by their numbers;
--   one row.
-- kind: relation
-- engine: duckdb: packs rows into lists
-- parameters: as robinson_foulds (gold_corpus, system_corpus, rules)
-- column gold_labels STRUCT(classes INTEGER[], kinds UTINYINT[]): those of the gold corpus: numbers of compared_labels, 0
--   for no label; and the sum of 1 where brackets with this label are ignored, 2 where words with this tag are deleted,
--   4 where they may be quotation marks with a wrong tag, and 8 where they do not count for the length
-- column test_labels STRUCT(classes INTEGER[], kinds UTINYINT[]): those of the system's corpus
-- source: DuckDB, lists
SELECT struct_pack(classes := coalesce(list(n.class ORDER BY n.number) FILTER (WHERE n.corpus = $gold_corpus), []),
                   kinds := coalesce(list(n.kind ORDER BY n.number) FILTER (WHERE n.corpus = $gold_corpus), [])) AS gold_labels,
       struct_pack(classes := coalesce(list(n.class ORDER BY n.number) FILTER (WHERE n.corpus = $system_corpus), []),
                   kinds := coalesce(list(n.kind ORDER BY n.number) FILTER (WHERE n.corpus = $system_corpus), [])) AS test_labels
FROM (SELECT l.corpus, l.number,
             CASE WHEN l.label IS NULL THEN 0
                  ELSE CAST(dense_rank() OVER (ORDER BY l.label NULLS LAST) AS INTEGER) END AS class,
             CAST(CASE WHEN l.left_out THEN 1 ELSE 0 END + CASE WHEN l.deleted THEN 2 ELSE 0 END
                  + CASE WHEN l.quote THEN 4 ELSE 0 END + CASE WHEN l.uncounted THEN 8 ELSE 0 END AS UTINYINT) AS kind
      FROM evalb_labels(tree_corpus := $gold_corpus, beside := $system_corpus) AS l) AS n
