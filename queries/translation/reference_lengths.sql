-- reference_lengths: how many words every reference of a sentence has, after normalisation and tokenisation; one row per
--   sentence and reference.
-- kind: relation
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as position_independent_errors (reference_corpus, other_corpora, empty_references, lowercase, punctuation, unicode_form)
-- parameters: as reference_sentences (numbered_as)
-- parameters: as reference_tokens (tokenize)
-- column reference VARCHAR: the corpus of the reference
-- column reference_rank INTEGER: 0 for the first reference, greater for later ones
-- column sentence INTEGER: the sentence that it corresponds to
-- column n_words BIGINT: number of its words
-- source: Papineni et al. 2002, BLEU: a method for automatic evaluation of machine translation (several references)
SELECT s.reference, s.reference_rank, s.sentence, coalesce(w.n_words, 0) AS n_words
FROM reference_sentences AS s
LEFT JOIN (SELECT r.reference, r.sentence, CAST(count(*) AS BIGINT) AS n_words
           FROM reference_tokens AS r
           GROUP BY r.reference, r.sentence) AS w ON w.reference = s.reference AND w.sentence = s.sentence
