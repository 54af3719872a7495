-- discontinuous_phrases: phrases with gaps, which brackets cannot express; one row per phrase.
-- kind: audit
-- parameters: as robinson_foulds (gold_corpus, system_corpus)
-- columns: as tree_correspondence
-- source: Brants 1997, The NEGRA export format
SELECT s.file, s.line,
       'phrase ' || CAST(c.node AS VARCHAR) || coalesce(' (' || c.label || ')', '') || ' has a gap' AS problem,
       'EVALB compares brackets; choose robinson_foulds, generalised_robinson_foulds or quartets as the metric' AS hint
FROM constituents AS c
JOIN sentences AS s ON s.corpus = c.corpus AND s.sentence = c.sentence
WHERE (c.corpus = $gold_corpus OR c.corpus = $system_corpus)
  AND (s.corpus = $gold_corpus OR s.corpus = $system_corpus)
  AND NOT c.continuous
