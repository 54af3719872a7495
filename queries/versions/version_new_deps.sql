-- version_new_deps: enhanced edges of the new version, as version_mapped_deps writes those of the old one; one row per word
--   or empty node that has some.
-- kind: relation
-- engine: duckdb: string_agg in order
-- parameter new_corpus TEXT: corpus of the new version
-- column new_sentence INTEGER: sentence of the new version
-- column new_word INTEGER: position of the word, or of the word that an empty node follows
-- column new_index INTEGER: 0 for a word, the number of an empty node otherwise
-- column edges VARCHAR: its edges as `HEAD:RELATION`, sorted
-- column edge_relations VARCHAR: their relations alone, sorted
-- source: de Marneffe et al. 2021, Universal Dependencies: enhanced dependencies
SELECT e.sentence AS new_sentence, e.dependent AS new_word, e.dependent_index AS new_index,
       array_to_string(list_sort(list(e.head || ':' || e.deprel)), '|') AS edges,
       array_to_string(list_sort(list(e.deprel)), '|') AS edge_relations
FROM (SELECT d.sentence, d.dependent, d.dependent_index, d.deprel,
             CASE WHEN d.head_index = 0 THEN CAST(d.head AS VARCHAR)
                  ELSE CAST(d.head AS VARCHAR) || '.' || CAST(d.head_index AS VARCHAR) END AS head
      FROM enhanced_edges AS d
      WHERE d.corpus = $new_corpus) AS e
GROUP BY e.sentence, e.dependent, e.dependent_index
