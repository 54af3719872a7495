-- version_mapped_deps: enhanced edges of the old version with the heads of the new one in place of its own, so that
--   shifted positions are no change; one row per word or empty node that has enhanced edges.
-- kind: relation
-- engine: kernel: version_words
-- parameters: as version_sentences
-- column old_sentence INTEGER: sentence of the old version
-- column old_word INTEGER: position of the word, or of the word that an empty node follows
-- column old_index INTEGER: 0 for a word, the number of an empty node otherwise
-- column edges VARCHAR: its edges as `HEAD:RELATION`, sorted, with the positions of the aligned heads in the new version;
--   `-` in place of a head that is not aligned
-- column edge_relations VARCHAR: their relations alone, sorted
-- source: de Marneffe et al. 2021, Universal Dependencies: enhanced dependencies
SELECT e.sentence AS old_sentence, e.dependent AS old_word, e.dependent_index AS old_index,
       array_to_string(list_sort(list(e.head || ':' || e.deprel)), '|') AS edges,
       array_to_string(list_sort(list(e.deprel)), '|') AS edge_relations
FROM (SELECT d.sentence, d.dependent, d.dependent_index, d.deprel,
             CASE WHEN d.head = 0 AND d.head_index = 0 THEN '0' WHEN h.new_word IS NULL THEN '-'
                  WHEN h.new_index = 0 THEN CAST(h.new_word AS VARCHAR)
                  ELSE CAST(h.new_word AS VARCHAR) || '.' || CAST(h.new_index AS VARCHAR) END AS head
      FROM enhanced_edges AS d
      LEFT JOIN version_nodes AS h
          ON h.old_sentence = d.sentence AND h.old_word = d.head AND h.old_index = d.head_index
      WHERE d.corpus = $old_corpus) AS e
GROUP BY e.sentence, e.dependent, e.dependent_index
