-- dependencies_above_traces: words that are no traces, and the first word above each that is none; one row per such word.
-- kind: relation
-- engine: duckdb: rejects an unknown set of head rules
-- parameters: as head_children
-- column sentence INTEGER: the sentence
-- column word INTEGER: the word
-- column position BIGINT: its position among the words that are no traces
-- column head INTEGER: the word above it that is no trace, 0 for none
-- column root INTEGER: the first word of the sentence that has no word above it
-- column relation VARCHAR: its relation, without indices
-- source: Lin 1995, A dependency-based method for evaluating broad-coverage parsers
SELECT a.sentence, a.word, row_number() OVER (PARTITION BY a.sentence ORDER BY a.word) AS position, a.head,
       min(CASE WHEN a.head = 0 THEN a.word END) OVER (PARTITION BY a.sentence) AS root,
       coalesce(nullif(regexp_replace(a.relation, '(^|[-=])[0-9]+\b', '', 'g'), ''), 'dep') AS relation
FROM (
WITH RECURSIVE open_edges AS (
    SELECT d.sentence, d.word, d.head, d.relation, coalesce(w.xpos = '-NONE-', FALSE) AS trace
    FROM head_dependencies AS d
    JOIN words AS w ON w.corpus = $tree_corpus AND w.sentence = d.sentence AND w.word = d.word
), climbing AS (
    SELECT e.sentence, e.word, e.head, e.relation FROM open_edges AS e WHERE NOT e.trace
    UNION ALL
    SELECT c.sentence, c.word, t.head, c.relation
    FROM climbing AS c
    JOIN open_edges AS t ON t.sentence = c.sentence AND t.word = c.head AND t.trace
)
SELECT c.sentence, c.word, c.head, c.relation
FROM climbing AS c
LEFT JOIN open_edges AS t ON t.sentence = c.sentence AND t.word = c.head AND t.trace
WHERE t.word IS NULL
) AS a
