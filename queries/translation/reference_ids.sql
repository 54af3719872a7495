-- reference_ids: the sentences of the references that correspond by their ids; one row per sentence and reference.
-- kind: relation
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as position_independent_errors (reference_corpus, other_corpora)
-- parameters: as references_with_ids (numbered_as)
-- column reference VARCHAR: the corpus of the reference
-- column reference_sentence INTEGER: its number
-- column sent_id VARCHAR: its id; NULL where it has none
-- column file VARCHAR: the file that it is in
-- column line BIGINT: the line in it
-- source: NIST, SCTK 2.4, sclite (transcripts of the same utterance ids are scored against each other)
SELECT r.reference, r.reference_sentence, r.sent_id, r.file, r.line
FROM (SELECT s.corpus AS reference, s.sentence AS reference_sentence, s.sent_id, s.file, s.line
      FROM sentences AS s
      WHERE s.corpus = $reference_corpus
      UNION ALL
      SELECT s.corpus AS reference, s.sentence AS reference_sentence, s.sent_id, s.file, s.line
      FROM sentences AS s
      WHERE $other_corpora <> '' AND s.corpus <> $reference_corpus
        AND replace(',' || $other_corpora || ',', ',' || s.corpus || ',', '') <> ',' || $other_corpora || ',') AS r
JOIN references_with_ids AS i ON i.reference = r.reference
