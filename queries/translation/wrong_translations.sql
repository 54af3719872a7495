-- wrong_translations: translations whose words are not those of a reference; one row per sentence.
-- kind: metric
-- engine: duckdb: words are compared as lists
-- parameters: as position_independent_errors
-- audit translation_correspondence
-- column sentence INTEGER: its sentence
-- count compared_sentences BIGINT: 1 for every sentence
-- count wrong_sentences BIGINT: 1 if no reference has the same words in the same order
-- score ser percent lower = sum(wrong_sentences) / nullif(sum(compared_sentences), 0): sentence error rate
-- source: NIST, SCTK 2.4, sclite (sentences with errors)
SELECT h.sentence, CAST(1 AS BIGINT) AS compared_sentences,
       CAST(min(CASE WHEN h.text_forms = r.text_forms THEN 0 ELSE 1 END) AS BIGINT) AS wrong_sentences
FROM reference_texts(reference_corpus := $hypothesis_corpus, other_corpora := '') AS h
JOIN reference_texts(numbered_as := $hypothesis_corpus) AS r ON r.sentence = h.sentence
GROUP BY h.sentence
