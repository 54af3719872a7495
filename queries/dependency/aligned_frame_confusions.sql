-- aligned_frame_confusions: frame_confusions where the words of gold and system differ and are aligned by their
--   characters; one row per pair of frames that differ.
-- kind: statistic
-- engine: kernel: aligned_words aligns words
-- parameters: as aligned_attachment
-- audit counterpart_correspondence
-- audit unparsed_gold
-- column gold_frame VARCHAR: relations of a gold word's scored dependents in the order of the words, and between them, in
--   stars, the word's own gold relation (`case *nmod* acl`); `**` is the root above the sentence (`** root`)
-- column system_frame VARCHAR: the same with the system's words whose head is aligned with the gold word; a gold word
--   without a counterpart has an empty frame
-- column frames BIGINT: number of gold words (and roots) with these two frames
-- source: Nivre et al. 2007, CoNLL 2007 shared task (eval07.pl), `Frame confusions`; Zeman et al. 2018, CoNLL 2018
--   shared task
SELECT f.gold_frame, f.system_frame, CAST(count(*) AS BIGINT) AS frames
FROM (SELECT i.sentence, i.head,
             coalesce(string_agg(i.item, ' ' ORDER BY i.item_sentence, i.item_word, i.stars)
                          FILTER (i.side = 'gold'), '') AS gold_frame,
             coalesce(string_agg(i.item, ' ' ORDER BY i.item_sentence, i.item_word, i.stars)
                          FILTER (i.side = 'system'), '') AS system_frame
      FROM aligned_frame_items AS i
      GROUP BY i.sentence, i.head) AS f
WHERE f.gold_frame <> f.system_frame
GROUP BY f.gold_frame, f.system_frame
ORDER BY frames DESC, f.gold_frame, f.system_frame
