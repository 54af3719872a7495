-- references_with_ids: the references whose sentences correspond to those of lattices or hypotheses by their ids, as both
--   have some; others correspond by their order. One row per reference.
-- kind: relation
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as position_independent_errors (reference_corpus, other_corpora)
-- parameter numbered_as TEXT = : corpus of the lattices or hypotheses; without it no reference corresponds by ids
-- column reference VARCHAR: the corpus of the reference
-- source: NIST, SCTK 2.4, sclite (transcripts of the same utterance ids are scored against each other)
SELECT r.reference
FROM (SELECT s.corpus AS reference, s.sent_id
      FROM sentences AS s
      WHERE s.corpus = $reference_corpus
      UNION ALL
      SELECT s.corpus AS reference, s.sent_id
      FROM sentences AS s
      WHERE $other_corpora <> '' AND s.corpus <> $reference_corpus
        AND replace(',' || $other_corpora || ',', ',' || s.corpus || ',', '') <> ',' || $other_corpora || ',') AS r
WHERE r.sent_id IS NOT NULL
  AND EXISTS (SELECT l.sentence FROM sentences AS l WHERE l.corpus = $numbered_as AND l.sent_id IS NOT NULL)
GROUP BY r.reference
