-- version_new_deps: enhanced edges of the words of the new version, as version_mapped_deps writes those of the old one; one
--   row per word that has some.
-- kind: relation
-- engine: duckdb: string_agg in order
-- parameter new_corpus TEXT: corpus of the new version
-- column new_sentence INTEGER: sentence of the new version
-- column new_word INTEGER: position of the word
-- column edges VARCHAR: its edges as `HEAD:RELATION`, sorted
-- column edge_relations VARCHAR: their relations alone, sorted
-- source: de Marneffe et al. 2021, Universal Dependencies: enhanced dependencies
SELECT e.sentence AS new_sentence, e.dependent AS new_word,
       string_agg(CAST(e.head AS VARCHAR)
                      || CASE WHEN e.head_index > 0 THEN '.' || CAST(e.head_index AS VARCHAR) ELSE '' END
                      || ':' || e.deprel,
                  '|' ORDER BY CAST(e.head AS VARCHAR), e.head_index, e.deprel) AS edges,
       string_agg(e.deprel, '|' ORDER BY e.deprel) AS edge_relations
FROM enhanced_edges AS e
WHERE e.corpus = $new_corpus AND e.dependent_index = 0
GROUP BY e.sentence, e.dependent
