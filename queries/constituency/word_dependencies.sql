-- word_dependencies: the dependencies that head rules make of constituents, without traces: words below a trace depend on
--   the first word above it; one row per word that is no trace.
-- kind: relation
-- engine: duckdb: rejects an unknown set of head rules
-- parameters: as head_children
-- column sentence INTEGER: the sentence
-- column word INTEGER: the word, as in the table words
-- column position BIGINT: its position among the words that are no traces
-- column head BIGINT: the position of the word that it depends on, 0 for the root
-- column relation VARCHAR: as in head_dependencies, without indices: `SBJ` of `NP-SBJ-1`; `dep` where nothing is left
-- source: Lin 1995, A dependency-based method for evaluating broad-coverage parsers
SELECT n.sentence, n.word, n.position,
       CASE WHEN n.head > 0 THEN h.position WHEN n.word = n.root THEN 0 ELSE r.position END AS head,
       CASE WHEN n.head = 0 AND n.word = n.root THEN 'root' ELSE n.relation END AS relation
FROM dependencies_above_traces AS n
LEFT JOIN dependencies_above_traces AS h ON h.sentence = n.sentence AND h.word = n.head
JOIN dependencies_above_traces AS r ON r.sentence = n.sentence AND r.word = n.root
