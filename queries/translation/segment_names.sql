-- segment_names: who speaks in the segments of a transcript, and in which recording; one row per sentence.
-- kind: relation
-- parameters: as spoken_segments (text_corpus)
-- column sentence INTEGER: the sentence
-- column speaker VARCHAR: the speaker, as .stm has it; of .trn the id up to the first - or _
-- column recording VARCHAR: the recording, as .stm and .ctm have it
-- source: NIST, SCTK, sclite, input formats stm, ctm and trn
SELECT s.sentence,
       coalesce(max(CASE WHEN c.key = 'speaker' THEN c.value END),
                max(CASE WHEN k.format = 'trn' THEN split_part(replace(s.sent_id, '_', '-'), '-', 1) END)) AS speaker,
       max(CASE WHEN c.key = 'recording' THEN c.value END) AS recording
FROM sentences AS s
JOIN corpora AS k ON k.corpus = s.corpus
LEFT JOIN comments AS c
  ON c.corpus = s.corpus AND c.sentence = s.sentence AND (c.key = 'speaker' OR c.key = 'recording')
WHERE s.corpus = $text_corpus
GROUP BY s.sentence
