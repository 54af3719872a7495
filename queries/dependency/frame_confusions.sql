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
-- column system_frame VARCHAR: the same with the system's words whose head is the word's counterpart, around the gold
--   relation too: it only marks the word's position; empty for a word without a counterpart
-- column frames BIGINT: number of words (and roots) with these two frames
-- source: Nivre et al. 2007, CoNLL 2007 shared task (eval07.pl), `Frame confusions`. As there, a word that is not
--   scored is in no frame, its dependents are in a frame without stars, and the side on which it has none has an empty
--   frame
SELECT f.gold_frame, f.system_frame, CAST(count(*) AS BIGINT) AS frames
FROM (SELECT i.sentence, i.head,
             coalesce(string_agg(i.item, ' ' ORDER BY i.item_sentence, i.item_word, i.stars)
                          FILTER (i.side = 'gold'), '') AS gold_frame,
             coalesce(string_agg(i.item, ' ' ORDER BY i.item_sentence, i.item_word, i.stars)
                          FILTER (i.side = 'system'), '') AS system_frame
      FROM (SELECT r.side, r.sentence, r.head, r.item_sentence, r.item_word, r.stars,
                   r.stars || CASE WHEN $relations = 'full' THEN r.relation ELSE split_part(r.relation, ':', 1) END
                       || r.stars AS item
            FROM (SELECT DISTINCT u.side, a.sentence, 0 AS head, -1 AS item_sentence, 0 AS item_word, '*' AS stars,
                         '' AS relation
                  FROM attachment AS a
                  CROSS JOIN (VALUES ('gold'), ('system')) AS u(side)
                  UNION ALL
                  SELECT 'gold', a.sentence, a.word, a.sentence, a.word, '*', coalesce(a.gold_deprel, '_')
                  FROM attachment AS a
                  WHERE a.gold_words = 1
                  UNION ALL
                  SELECT 'system', a.sentence, a.word, a.system_sentence, a.system_word, '*', coalesce(a.gold_deprel, '_')
                  FROM attachment AS a
                  WHERE a.aligned_pairs = 1
                  UNION ALL
                  SELECT 'gold', a.sentence, a.gold_head, a.sentence, a.word, '', coalesce(a.gold_deprel, '_')
                  FROM attachment AS a
                  WHERE a.gold_words = 1
                  UNION ALL
                  SELECT 'system', a.counterpart_sentence, a.counterpart_head, a.system_sentence, a.system_word, '',
                         coalesce(a.system_deprel, '_')
                  FROM attachment AS a
                  WHERE a.system_words = 1) AS r
            JOIN (SELECT e.sentence, e.gold_head AS head
                  FROM attachment AS e
                  WHERE e.correct_edge = 0
                  UNION
                  SELECT e.counterpart_sentence AS sentence, e.counterpart_head AS head
                  FROM attachment AS e
                  WHERE e.correct_edge = 0
                  UNION
                  SELECT e.sentence, e.word AS head
                  FROM attachment AS e
                  WHERE e.aligned_pairs = 0) AS x ON x.sentence = r.sentence AND x.head = r.head) AS i
      GROUP BY i.sentence, i.head) AS f
WHERE f.gold_frame <> f.system_frame
GROUP BY f.gold_frame, f.system_frame
ORDER BY frames DESC, f.gold_frame, f.system_frame
