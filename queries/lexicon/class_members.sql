-- class_members: the table relation_classes with a count for each class; one row per relation.
-- kind: relation
-- column relation VARCHAR: universal relation
-- column class VARCHAR: function, content or other
-- column content BIGINT: 1 if it is a content relation
-- column function BIGINT: 1 if it is a function relation
-- source: on cross-linguistic parser evaluation with Universal Dependencies 1.2 (unpublished draft), table 2
SELECT k.relation, k.class, CAST(CASE WHEN k.class = 'content' THEN 1 ELSE 0 END AS BIGINT) AS content,
       CAST(CASE WHEN k.class = 'function' THEN 1 ELSE 0 END AS BIGINT) AS function
FROM relation_classes AS k
