-- missing_trees: sentences that only one of two corpora has; one row per sentence.
-- kind: audit
-- parameters: as robinson_foulds (gold_corpus, system_corpus)
-- columns: as tree_correspondence
-- source: Sekine & Collins 1997, EVALB, which reads both files line by line
SELECT coalesce(g.file, t.file) AS file, coalesce(g.line, t.line) AS line,
       'tree ' || CAST(coalesce(g.sentence, t.sentence) + 1 AS VARCHAR) || ' has no counterpart in '
           || CASE WHEN t.sentence IS NULL THEN $system_corpus ELSE $gold_corpus END AS problem,
       'give both sides the same number of trees; write `(())` for a sentence that was not parsed' AS hint
FROM (SELECT s.sentence, s.file, s.line FROM sentences AS s WHERE s.corpus = $gold_corpus) AS g
FULL JOIN (SELECT s.sentence, s.file, s.line FROM sentences AS s WHERE s.corpus = $system_corpus) AS t
       ON t.sentence = g.sentence
WHERE g.sentence IS NULL OR t.sentence IS NULL
