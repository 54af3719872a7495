-- link_corrections: which wrong link of an alignment becomes which missing one by a change of one end; one row per change.
-- kind: relation
-- engine: kernel: match_links pairs links, each with one other
-- parameters: as agreement
-- audit alignment_correspondence
-- column sentence INTEGER: the sentence
-- column source INTEGER: position of the source word of the wrong link
-- column target INTEGER: position of its target word
-- column new_source INTEGER: position of the source word of the missing link, the same unless new_target is
-- column new_target INTEGER: position of its target word
-- source: Kuhn 1955, The Hungarian method for the assignment problem
SELECT k.sentence, k.wrong[k.pair.left_position].source_word AS source,
       k.wrong[k.pair.left_position].target_word AS target,
       k.missing[k.pair.right_position].source_word AS new_source,
       k.missing[k.pair.right_position].target_word AS new_target
FROM (SELECT w.sentence, w.links AS wrong, m.links AS missing,
             unnest(match_links(list_transform(w.links, lambda x: x.source_word),
                                list_transform(w.links, lambda x: x.target_word),
                                list_transform(m.links, lambda x: x.source_word),
                                list_transform(m.links, lambda x: x.target_word))) AS pair
      FROM (SELECT a.sentence, list_sort(list(struct_pack(source_word := a.source, target_word := a.target))) AS links
            FROM agreement AS a WHERE a.proposed = 1 AND a.possible = 0 GROUP BY a.sentence) AS w
      JOIN (SELECT b.sentence, list_sort(list(struct_pack(source_word := b.source, target_word := b.target))) AS links
            FROM agreement AS b WHERE b.proposed = 0 AND b.sure = 1 GROUP BY b.sentence) AS m
          ON m.sentence = w.sentence) AS k
