-- reference_tokens: the words of one or several references; one row per word.
-- kind: relation
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as position_independent_errors (reference_corpus, other_corpora)
-- parameters: as text_n_grams (numbered_as)
-- column reference VARCHAR: the corpus of the reference
-- column reference_rank INTEGER: 0 for the first reference, 1 for the others
-- column sentence INTEGER: the sentence that its sentence corresponds to
-- column word INTEGER: its position
-- column form VARCHAR: the word as written
-- source: Papineni et al. 2002, BLEU: a method for automatic evaluation of machine translation (several references)
SELECT t.reference, r.reference_rank, r.sentence, t.word, t.form
FROM (SELECT w.corpus AS reference, w.sentence AS reference_sentence, w.word, w.form
      FROM words AS w
      WHERE w.corpus = $reference_corpus
      UNION ALL
      SELECT w.corpus AS reference, w.sentence AS reference_sentence, w.word, w.form
      FROM words AS w
      WHERE $other_corpora <> '' AND w.corpus <> $reference_corpus
        AND replace(',' || $other_corpora || ',', ',' || w.corpus || ',', '') <> ',' || $other_corpora || ',') AS t
JOIN reference_sentences AS r ON r.reference = t.reference AND r.reference_sentence = t.reference_sentence
