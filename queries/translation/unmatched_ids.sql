-- unmatched_ids: ids that lattices or hypotheses and references do not share, or that are repeated; one row per fault.
-- kind: audit
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as position_independent_errors (reference_corpus, other_corpora)
-- parameter numbered_as TEXT = : corpus of the lattices or hypotheses; if empty, the audit returns no rows
-- columns: as tree_correspondence
-- source: NIST, SCTK 2.4, sclite (transcripts of the same utterance ids are scored against each other)
SELECT s.file, s.line, 'no sentence of ' || i.reference || ' has the id `' || s.sent_id || '`' AS problem,
       'give both the same ids, each once; with --ids none sentences correspond by their order' AS hint
FROM sentences AS s
JOIN references_with_ids AS i ON i.reference <> s.corpus
LEFT JOIN reference_ids AS r ON r.reference = i.reference AND r.sent_id = s.sent_id
WHERE s.corpus = $numbered_as AND s.sent_id IS NOT NULL AND r.reference IS NULL
UNION ALL
SELECT r.file, r.line, 'no sentence of ' || $numbered_as || ' has the id `' || r.sent_id || '`' AS problem,
       'give both the same ids, each once; with --ids none sentences correspond by their order' AS hint
FROM reference_ids AS r
LEFT JOIN (SELECT l.corpus, l.sent_id FROM sentences AS l WHERE l.corpus = $numbered_as) AS s ON s.sent_id = r.sent_id
WHERE r.sent_id IS NOT NULL AND s.corpus IS NULL
UNION ALL
SELECT d.file, d.line,
       CASE WHEN d.sent_id IS NULL THEN 'a sentence of ' || d.corpus || ' without an id, where others have one'
            ELSE 'the id `' || d.sent_id || '` is given twice, first in ' || d.first_file || ':' || CAST(d.first_line AS VARCHAR) END
           AS problem,
       'give every sentence an id of its own; with --ids none sentences correspond by their order' AS hint
FROM (SELECT c.corpus, c.sent_id, c.file, c.line,
             row_number() OVER (PARTITION BY c.corpus, c.sent_id ORDER BY c.sentence) AS occurrence,
             first_value(c.file) OVER (PARTITION BY c.corpus, c.sent_id ORDER BY c.sentence) AS first_file,
             first_value(c.line) OVER (PARTITION BY c.corpus, c.sent_id ORDER BY c.sentence) AS first_line
      FROM (SELECT r.reference AS corpus, r.reference_sentence AS sentence, r.sent_id, r.file, r.line
            FROM reference_ids AS r
            UNION ALL
            SELECT s.corpus, s.sentence, s.sent_id, s.file, s.line
            FROM sentences AS s
            WHERE s.corpus = $numbered_as
              AND EXISTS (SELECT i.reference FROM references_with_ids AS i WHERE i.reference <> s.corpus)) AS c) AS d
WHERE d.sent_id IS NULL OR d.occurrence > 1
