-- spoken_segments: who speaks in the segments of transcripts, and in which recording, by which scores are grouped; one row
--   per sentence.
-- kind: attributes
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameter text_corpus TEXT: the corpus
-- parameters: as position_independent_errors (reference_corpus)
-- column sentence INTEGER: the sentence
-- column speaker VARCHAR: the speaker, as .stm has it; of .trn the id up to the first - or _; that of the reference where the
--   corpus has none
-- column recording VARCHAR: the recording, as .stm and .ctm have it, or else the reference
-- source: NIST, SCTK, sclite, input formats stm, ctm and trn
SELECT s.sentence, max(coalesce(h.speaker, r.speaker)) AS speaker, max(coalesce(h.recording, r.recording)) AS recording
FROM sentences AS s
LEFT JOIN segment_names AS h ON h.sentence = s.sentence
LEFT JOIN reference_sentences(numbered_as := $text_corpus, other_corpora := '', empty_references := 'count') AS n
  ON n.sentence = s.sentence
LEFT JOIN segment_names(text_corpus := $reference_corpus) AS r ON r.sentence = n.reference_sentence
WHERE s.corpus = $text_corpus
GROUP BY s.sentence
