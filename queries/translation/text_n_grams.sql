-- text_n_grams: counts of each n-gram of up to four words in the sentences of references; one row per sentence,
--   reference and n-gram.
-- kind: relation
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as position_independent_errors (reference_corpus, other_corpora)
-- parameter numbered_as TEXT = : corpus of the lattices or hypotheses whose numbers are given to sentences of references
-- column reference VARCHAR: the corpus of the reference
-- column sentence INTEGER: the sentence that it corresponds to
-- column n_gram_order INTEGER: number of words, 1 to 4
-- column n_gram VARCHAR: the words, with U+001F (unit separator) between, as words may have blanks
-- column occurrences BIGINT: number of occurrences
-- source: Papineni et al. 2002, BLEU: a method for automatic evaluation of machine translation
SELECT g.reference, g.sentence, g.n_gram_order, g.n_gram, CAST(count(*) AS BIGINT) AS occurrences
FROM (SELECT a.reference, a.sentence, 1 AS n_gram_order, a.form AS n_gram
      FROM reference_tokens AS a
      UNION ALL
      SELECT a.reference, a.sentence, 2 AS n_gram_order, a.form || chr(31) || b.form AS n_gram
      FROM reference_tokens AS a
      JOIN reference_tokens AS b ON b.reference = a.reference AND b.sentence = a.sentence AND b.word = a.word + 1
      UNION ALL
      SELECT a.reference, a.sentence, 3 AS n_gram_order, a.form || chr(31) || b.form || chr(31) || c.form AS n_gram
      FROM reference_tokens AS a
      JOIN reference_tokens AS b ON b.reference = a.reference AND b.sentence = a.sentence AND b.word = a.word + 1
      JOIN reference_tokens AS c ON c.reference = a.reference AND c.sentence = a.sentence AND c.word = a.word + 2
      UNION ALL
      SELECT a.reference, a.sentence, 4 AS n_gram_order, a.form || chr(31) || b.form || chr(31) || c.form || chr(31) || d.form AS n_gram
      FROM reference_tokens AS a
      JOIN reference_tokens AS b ON b.reference = a.reference AND b.sentence = a.sentence AND b.word = a.word + 1
      JOIN reference_tokens AS c ON c.reference = a.reference AND c.sentence = a.sentence AND c.word = a.word + 2
      JOIN reference_tokens AS d ON d.reference = a.reference AND d.sentence = a.sentence AND d.word = a.word + 3) AS g
GROUP BY g.reference, g.sentence, g.n_gram_order, g.n_gram
