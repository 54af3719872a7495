-- partly_empty_references: sentences that have an empty reference beside one with words; one row per sentence.
-- kind: relation
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as reference_sentences (reference_corpus, other_corpora, numbered_as)
-- column sentence INTEGER: its sentence
-- source: Post 2018, A call for clarity in reporting BLEU scores (references of unequal number in sacrebleu)
SELECT r.sentence
FROM reference_sentences AS r
GROUP BY r.sentence
HAVING min(r.n_words) = 0 AND max(r.n_words) > 0
