-- missing_weights: a requested set of weights that does not exist; one row if so.
-- kind: audit
-- parameter weights TEXT = : a set of the table relation_weights; the gold corpus's own weights if empty
-- column file VARCHAR: the table that lacks it
-- column line BIGINT: 0
-- column problem VARCHAR: what is wrong
-- column hint VARCHAR: how to fix it
-- source: on cross-linguistic parser evaluation with Universal Dependencies 1.2 (unpublished draft), section 4.4.2
SELECT 'relation_weights' AS file, CAST(0 AS BIGINT) AS line, 'there is no set of weights ' || $weights AS problem,
       'insert its rows, or leave the parameter weights empty' AS hint
FROM (SELECT count(*) AS n FROM relation_weights AS r WHERE r.weight_set = $weights) AS c
WHERE c.n = 0 AND $weights <> ''
