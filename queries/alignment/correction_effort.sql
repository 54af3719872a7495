-- correction_effort: edit distance of an alignment from the gold alignment, as an annotator's effort of correcting it; one
--   row per link that either has, a wrong link and the missing one that it becomes being one row.
-- kind: metric
-- engine: kernel: link_corrections pairs links
-- parameters: as agreement
-- audit alignment_correspondence
-- column sentence INTEGER: the sentence
-- column source INTEGER: position of the source word; 0 in a null link
-- column target INTEGER: position of the target word; 0 in a null link
-- column correction VARCHAR: add, remove, move (of one end), or none
-- column new_source INTEGER: position of the source word after a move, else NULL
-- column new_target INTEGER: position of the target word after a move, else NULL
-- count sure BIGINT: 1 if it is, or becomes, a sure link of the gold alignment
-- count added BIGINT: 1 for a sure link that the system lacks, and that no other link becomes
-- count removed BIGINT: 1 for a link of the system that is neither sure nor possible, and becomes no other
-- count moved BIGINT: 1 for such a link that becomes a missing one by a change of one end
-- count effort BIGINT: 1 for each of these changes; together the smallest number of them, as possible links need not be
--   added nor removed
-- score effort_rate percent lower = sum(effort) / nullif(sum(sure), 0): changes per sure link; NULL where no link is sure
-- source: edit distance as an estimate of the time that correction takes, of a thesis on joint parsing and alignment of
--   parallel treebanks, Copenhagen
SELECT a.sentence, a.source, a.target,
       CASE WHEN c.new_source IS NOT NULL THEN 'move' WHEN a.proposed = 1 AND a.possible = 0 THEN 'remove'
            WHEN a.proposed = 0 AND a.sure = 1 THEN 'add' ELSE 'none' END AS correction,
       c.new_source, c.new_target,
       CASE WHEN c.new_source IS NOT NULL THEN CAST(1 AS BIGINT) ELSE a.sure END AS sure,
       CASE WHEN a.proposed = 0 AND a.sure = 1 THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END AS added,
       CASE WHEN a.proposed = 1 AND a.possible = 0 AND c.new_source IS NULL THEN CAST(1 AS BIGINT)
            ELSE CAST(0 AS BIGINT) END AS removed,
       CASE WHEN c.new_source IS NOT NULL THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END AS moved,
       CASE WHEN a.proposed = 1 AND a.possible = 0 OR a.proposed = 0 AND a.sure = 1 THEN CAST(1 AS BIGINT)
            ELSE CAST(0 AS BIGINT) END AS effort
FROM agreement AS a
LEFT JOIN link_corrections AS c ON c.sentence = a.sentence AND c.source = a.source AND c.target = a.target
LEFT JOIN link_corrections AS r ON r.sentence = a.sentence AND r.new_source = a.source AND r.new_target = a.target
WHERE r.sentence IS NULL
