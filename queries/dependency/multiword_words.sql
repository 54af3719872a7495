-- multiword_words: the words inside each span of multiword_spans, in order; one row per span.
-- kind: relation
-- engine: duckdb: an ASOF join finds the span, and lists keep the words in order
-- parameters: as attachment (gold_corpus, system_corpus)
-- parameters: as unmatched_words (side_corpus)
-- column span_start BIGINT: offset of the span's first character
-- column lowered VARCHAR[]: the words in lower case; those that are tokens without white space inside, as in the scorer
-- column sentences_of_words INTEGER[]: the sentence of each
-- column positions INTEGER[]: the position of each in its sentence
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies
SELECT m.span_start,
       list(lower(regexp_replace(replace(CASE WHEN w.multiword THEN w.form
                                              ELSE regexp_replace(w.form, '\p{Zs}', '', 'g') END, 'İ', 'i̇'),
                                 '(\p{L}\p{M}*)Σ(\P{L}|$)', '\1ς\2', 'g'))
            ORDER BY w.sentence, w.word) AS lowered,
       list(w.sentence ORDER BY w.sentence, w.word) AS sentences_of_words,
       list(w.word ORDER BY w.sentence, w.word) AS positions
FROM unmatched_words AS w
ASOF JOIN multiword_spans AS m ON w.span_start >= m.span_start
WHERE w.span_end <= m.span_end
GROUP BY m.span_start
