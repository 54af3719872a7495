-- compared_labels: the labels and tags of two corpora, grouped into classes and numbered; one row per class.
-- kind: relation
-- parameters: as robinson_foulds (gold_corpus, system_corpus, rules)
-- column number INTEGER: 1, 2, ...
-- column label VARCHAR: the label
-- source: Sekine & Collins 1997, EVALB (EQ_LABEL)
SELECT CAST(row_number() OVER (ORDER BY c.label) AS INTEGER) AS number, c.label
FROM (SELECT l.label
      FROM evalb_labels(tree_corpus := $gold_corpus, beside := $system_corpus) AS l
      WHERE l.label IS NOT NULL
      GROUP BY l.label) AS c
