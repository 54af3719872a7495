-- aligned_frame_items: what stands in the frames of the gold words, on the side of the gold trees and on that of the
--   system's, whose words are aligned by their characters; one row per side and item.
-- kind: relation
-- engine: kernel: aligned_words aligns words
-- parameters: as aligned_attachment
-- column side VARCHAR: gold or system
-- column sentence INTEGER: the gold corpus's sentence
-- column head INTEGER: the gold word whose frame it is, 0 for the root above the sentence
-- column item_sentence INTEGER: the side's own sentence of the item
-- column item_word INTEGER: its position there, 0 for the root; items are ordered by both
-- column stars VARCHAR: `*` around the relation of the frame's own word, nothing around that of a dependent
-- column item VARCHAR: the relation, in its stars
-- source: Nivre et al. 2007, CoNLL 2007 shared task (eval07.pl), `Frame confusions`; Zeman et al. 2018, CoNLL 2018
--   shared task
SELECT r.side, r.sentence, r.head, r.item_sentence, r.item_word, r.stars,
       r.stars || CASE WHEN $relations = 'full' THEN r.relation ELSE split_part(r.relation, ':', 1) END || r.stars AS item
FROM (SELECT DISTINCT u.side, a.sentence, 0 AS head, -1 AS item_sentence, 0 AS item_word, '*' AS stars, '' AS relation
      FROM aligned_attachment AS a
      CROSS JOIN (VALUES ('gold'), ('system')) AS u(side)
      UNION ALL
      SELECT 'gold', a.sentence, a.word, a.sentence, a.word, '*', coalesce(a.gold_deprel, '_')
      FROM aligned_attachment AS a
      WHERE a.gold_words = 1
      UNION ALL
      SELECT 'system', a.sentence, a.word, a.system_sentence, a.system_word, '*', coalesce(a.gold_deprel, '_')
      FROM aligned_attachment AS a
      WHERE a.aligned_pairs = 1
      UNION ALL
      SELECT 'gold', a.sentence, a.gold_head, a.sentence, a.word, '', coalesce(a.gold_deprel, '_')
      FROM aligned_attachment AS a
      WHERE a.gold_words = 1
      UNION ALL
      SELECT 'system', CASE WHEN a.system_head = 0 THEN a.sentence ELSE h.sentence END,
             CASE WHEN a.system_head = 0 THEN 0 ELSE h.word END, a.system_sentence, a.system_word, '',
             coalesce(a.system_deprel, '_')
      FROM aligned_attachment AS a
      LEFT JOIN counterpart_words AS h
          ON h.system_sentence = a.system_sentence AND h.system_word = a.system_head AND h.aligned_pairs = 1
      WHERE a.system_words = 1 AND (a.system_head = 0 OR h.word IS NOT NULL)) AS r
