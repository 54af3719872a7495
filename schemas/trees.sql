-- trees: the shape of every dependency tree; one row per parsed sentence.
-- kind: view
-- engine: portable
-- column corpus VARCHAR: its corpus
-- column sentence INTEGER: its sentence
-- column words BIGINT: number of its words
-- column roots BIGINT: number of its roots
-- column depth INTEGER: depth of its deepest word, a root having 1; NULL where heads form a cycle
-- column projective BOOLEAN: whether every edge is projective; NULL where heads form a cycle
-- column non_projective_edges BIGINT: number of edges that are not projective
-- column dependency_length BIGINT: sum of |head - word| over its words other than roots
-- column mean_dependency_length DOUBLE: mean of |head - word| over its words other than roots; NULL if every word is a root
-- source: Liu 2008, Dependency distance as a metric of language comprehension difficulty (dependency length);
--   Kuhlmann & Nivre 2006, Mildly non-projective dependency structures (projectivity)
SELECT w.corpus, w.sentence, CAST(count(*) AS BIGINT) AS words,
       CAST(sum(CASE WHEN w.head = 0 THEN 1 ELSE 0 END) AS BIGINT) AS roots,
       CASE WHEN count(*) = count(w.depth) THEN max(w.depth) END AS depth,
       CASE WHEN count(*) = count(w.projective)
            THEN sum(CASE WHEN w.projective THEN 0 ELSE 1 END) = 0 END AS projective,
       CAST(sum(CASE WHEN w.projective THEN 0 WHEN w.projective IS NULL THEN 0 ELSE 1 END) AS BIGINT)
           AS non_projective_edges,
       CAST(sum(CASE WHEN w.head = 0 THEN 0 ELSE abs(w.head - w.word) END) AS BIGINT) AS dependency_length,
       CAST(sum(CASE WHEN w.head = 0 THEN 0 ELSE abs(w.head - w.word) END) AS DOUBLE)
           / nullif(sum(CASE WHEN w.head = 0 THEN 0 ELSE 1 END), 0) AS mean_dependency_length
FROM words AS w
WHERE w.head IS NOT NULL
GROUP BY w.corpus, w.sentence
