-- frame_confusions: frames of dependents that a system gets wrong; one row per pair of frames that differ.
-- kind: statistic
-- engine: duckdb: string_agg in the order of the words
-- parameters: as attachment
-- audit tree_correspondence
-- audit unparsed_gold
-- matrix gold_frame by system_frame of frames
-- column gold_frame VARCHAR: relations of a word's scored dependents in the gold tree in the order of the words, and
--   between them, in stars, the word's own gold relation (`case *nmod* acl`); `**` is the root above the sentence (`**
--   root`)
-- column system_frame VARCHAR: the same with the dependents of the system's tree, around the gold relation too: it only
--   marks the word's position
-- column frames BIGINT: number of words (and roots) with these two frames
-- source: Nivre et al. 2007, CoNLL 2007 shared task (eval07.pl), `Frame confusions`. As there, a word that is not
--   scored is in no frame, its dependents are in a frame without stars, and the side on which it has none has an empty
--   frame
SELECT f.gold_frame, f.system_frame, CAST(count(*) AS BIGINT) AS frames
FROM (SELECT i.sentence, i.head,
             coalesce(string_agg(i.gold_item, ' ' ORDER BY i.word, i.stars), '') AS gold_frame,
             coalesce(string_agg(i.system_item, ' ' ORDER BY i.word, i.stars), '') AS system_frame
      FROM (SELECT r.sentence, r.head, r.word, r.stars,
                   r.stars || CASE WHEN $relations = 'full' THEN r.gold_relation
                                   ELSE split_part(r.gold_relation, ':', 1) END || r.stars AS gold_item,
                   r.stars || CASE WHEN $relations = 'full' THEN r.system_relation
                                   ELSE split_part(r.system_relation, ':', 1) END || r.stars AS system_item
            FROM (SELECT DISTINCT a.sentence, 0 AS head, 0 AS word, '*' AS stars,
                         '' AS gold_relation, '' AS system_relation
                  FROM attachment AS a
                  UNION ALL
                  SELECT a.sentence, a.word AS head, a.word, '*' AS stars,
                         coalesce(a.gold_deprel, '_') AS gold_relation, coalesce(a.gold_deprel, '_') AS system_relation
                  FROM attachment AS a
                  UNION ALL
                  SELECT a.sentence, a.gold_head AS head, a.word, '' AS stars,
                         coalesce(a.gold_deprel, '_') AS gold_relation, NULL AS system_relation
                  FROM attachment AS a
                  UNION ALL
                  SELECT a.sentence, a.system_head AS head, a.word, '' AS stars, NULL AS gold_relation,
                         coalesce(a.system_deprel, '_') AS system_relation
                  FROM attachment AS a) AS r
            JOIN (SELECT e.sentence, e.gold_head AS head
                  FROM attachment AS e
                  WHERE e.correct_edge = 0
                  UNION
                  SELECT e.sentence, e.system_head AS head
                  FROM attachment AS e
                  WHERE e.correct_edge = 0) AS x ON x.sentence = r.sentence AND x.head = r.head) AS i
      GROUP BY i.sentence, i.head) AS f
WHERE f.gold_frame <> f.system_frame
GROUP BY f.gold_frame, f.system_frame
ORDER BY frames DESC, f.gold_frame, f.system_frame
