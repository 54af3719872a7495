-- version_mapped_deps: enhanced edges of one word with the heads of the other version in place of its own, so that
--   shifted positions are no change; one row per aligned word of the old version that has enhanced edges.
-- kind: relation
-- engine: kernel: version_words
-- parameters: as version_sentences
-- column old_sentence INTEGER: sentence of the old version
-- column old_word INTEGER: position of the word
-- column edges VARCHAR: its edges as `HEAD:RELATION`, sorted, with the positions of the aligned heads in the new version
--   (of an empty node, of the word that it follows); `-` in place of a head that is not aligned
-- column edge_relations VARCHAR: their relations alone, sorted
-- source: de Marneffe et al. 2021, Universal Dependencies: enhanced dependencies
SELECT e.sentence AS old_sentence, e.dependent AS old_word,
       string_agg(CASE WHEN e.head = 0 THEN '0' ELSE coalesce(CAST(h.new_word AS VARCHAR), '-') END
                      || CASE WHEN e.head_index > 0 THEN '.' || CAST(e.head_index AS VARCHAR) ELSE '' END
                      || ':' || e.deprel,
                  '|' ORDER BY CASE WHEN e.head = 0 THEN '0' ELSE coalesce(CAST(h.new_word AS VARCHAR), '-') END,
                               e.head_index, e.deprel) AS edges,
       string_agg(e.deprel, '|' ORDER BY e.deprel) AS edge_relations
FROM enhanced_edges AS e
LEFT JOIN version_words AS h ON h.old_sentence = e.sentence AND h.old_word = e.head
WHERE e.corpus = $old_corpus AND e.dependent_index = 0
GROUP BY e.sentence, e.dependent
