-- reference_texts: the words of every reference of a sentence as a list; one row per sentence and reference.
-- kind: relation
-- engine: duckdb: kernels take lists
-- parameter reference_corpus TEXT: corpus of the references, or of the first of several
-- parameter other_corpora TEXT = : further reference corpora, their names separated by commas
-- parameter numbered_as TEXT = : corpus of the lattices or hypotheses whose numbers are given to sentences of references
-- column reference VARCHAR: the corpus of the reference
-- column reference_rank INTEGER: 0 for the first reference, 1 for the others
-- column sentence INTEGER: the sentence that it corresponds to
-- column n_words INTEGER: number of its words
-- column text_forms VARCHAR[]: its words in order
-- source: Papineni et al. 2002, BLEU: a method for automatic evaluation of machine translation (several references)
SELECT s.reference, s.reference_rank, s.sentence, s.n_words, coalesce(w.text_forms, CAST([] AS VARCHAR[])) AS text_forms
FROM reference_sentences AS s
LEFT JOIN (SELECT r.reference, r.sentence, list(r.form ORDER BY r.word) AS text_forms
           FROM reference_tokens AS r
           GROUP BY r.reference, r.sentence) AS w ON w.reference = s.reference AND w.sentence = s.sentence
