-- reference_texts: the words of every reference of a sentence as a list; one row per sentence and reference.
-- kind: relation
-- engine: duckdb: kernels take lists
-- parameters: as position_independent_errors (reference_corpus, other_corpora, lowercase, punctuation, unicode_form)
-- parameters: as reference_sentences (numbered_as)
-- parameters: as reference_tokens (tokenize)
-- column reference VARCHAR: the corpus of the reference
-- column reference_rank INTEGER: 0 for the first reference, 1 for the others
-- column sentence INTEGER: the sentence that it corresponds to
-- column text_forms VARCHAR[]: its words in order
-- source: Papineni et al. 2002, BLEU: a method for automatic evaluation of machine translation (several references)
SELECT s.reference, s.reference_rank, s.sentence, coalesce(w.text_forms, CAST([] AS VARCHAR[])) AS text_forms
FROM reference_sentences AS s
LEFT JOIN (SELECT r.reference, r.sentence, list(r.form ORDER BY r.word, r.part) AS text_forms
           FROM reference_tokens AS r
           GROUP BY r.reference, r.sentence) AS w ON w.reference = s.reference AND w.sentence = s.sentence
