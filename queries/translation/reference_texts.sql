-- reference_texts: the words of every reference of a sentence as a list, after normalisation; one row per sentence and
--   reference.
-- kind: relation
-- engine: duckdb: kernels take lists
-- parameters: as position_independent_errors (reference_corpus, other_corpora, empty_references, lowercase, punctuation, unicode_form)
-- parameters: as reference_sentences (numbered_as)
-- column reference VARCHAR: the corpus of the reference
-- column reference_rank INTEGER: 0 for the first reference, greater for later ones
-- column sentence INTEGER: the sentence that it corresponds to
-- column n_words INTEGER: number of its words
-- column text_forms VARCHAR[]: its words in order
-- source: Papineni et al. 2002, BLEU: a method for automatic evaluation of machine translation (several references)
SELECT t.reference, t.reference_rank, t.sentence, CAST(len(t.text_forms) AS INTEGER) AS n_words, t.text_forms
FROM (SELECT l.reference, l.reference_rank, l.sentence, split_words(l.line) AS text_forms
      FROM reference_lines AS l
      LEFT JOIN corpora_of_words AS d ON d.corpus = l.reference
      WHERE d.corpus IS NULL  -- lines of texts have their words
      UNION ALL
      SELECT s.reference, s.reference_rank, s.sentence, coalesce(w.text_forms, CAST([] AS VARCHAR[])) AS text_forms
      FROM reference_sentences AS s
      JOIN corpora_of_words AS c ON c.corpus = s.reference
      LEFT JOIN (SELECT r.reference, r.sentence, list(r.form ORDER BY r.word, r.part) AS text_forms
                 FROM reference_tokens AS r
                 JOIN corpora_of_words AS o ON o.corpus = r.reference
                 GROUP BY r.reference, r.sentence) AS w ON w.reference = s.reference AND w.sentence = s.sentence) AS t
