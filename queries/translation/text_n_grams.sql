-- text_n_grams: counts of each n-gram of up to `longest` words in the sentences of references; one row per sentence,
--   reference and n-gram.
-- kind: relation
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as position_independent_errors (reference_corpus, other_corpora, empty_references, lowercase, punctuation, unicode_form)
-- parameter numbered_as TEXT = : corpus of the lattices or hypotheses whose numbers are given to sentences of references
-- parameters: as reference_tokens (tokenize)
-- parameter longest INTEGER(1..5) = 4: largest number of words of an n-gram, 1 to 5
-- column reference VARCHAR: the corpus of the reference
-- column sentence INTEGER: the sentence that it corresponds to
-- column n_gram_order INTEGER: number of words
-- column n_gram VARCHAR: the words, with U+001F (unit separator) between, as words may have blanks
-- column occurrences BIGINT: number of occurrences
-- source: Papineni et al. 2002, BLEU: a method for automatic evaluation of machine translation
SELECT g.reference, g.sentence, g.n_gram_order, g.n_gram, CAST(count(*) AS BIGINT) AS occurrences
FROM (SELECT w.reference, w.sentence, o.n_gram_order,
             CASE o.n_gram_order WHEN 1 THEN w.form WHEN 2 THEN w.form || chr(31) || w.form_2
                 WHEN 3 THEN w.form || chr(31) || w.form_2 || chr(31) || w.form_3
                 WHEN 4 THEN w.form || chr(31) || w.form_2 || chr(31) || w.form_3 || chr(31) || w.form_4
                 ELSE w.form || chr(31) || w.form_2 || chr(31) || w.form_3 || chr(31) || w.form_4 || chr(31) || w.form_5 END AS n_gram
      FROM (SELECT x.reference, x.sentence, x.form,
                   lead(x.form, 1) OVER (PARTITION BY x.reference, x.sentence ORDER BY x.word, x.part) AS form_2,
                   lead(x.form, 2) OVER (PARTITION BY x.reference, x.sentence ORDER BY x.word, x.part) AS form_3,
                   lead(x.form, 3) OVER (PARTITION BY x.reference, x.sentence ORDER BY x.word, x.part) AS form_4,
                   lead(x.form, 4) OVER (PARTITION BY x.reference, x.sentence ORDER BY x.word, x.part) AS form_5
            FROM reference_tokens AS x) AS w
      CROSS JOIN (SELECT 1 AS n_gram_order UNION ALL SELECT 2 AS n_gram_order UNION ALL SELECT 3 AS n_gram_order UNION ALL
                  SELECT 4 AS n_gram_order UNION ALL SELECT 5 AS n_gram_order) AS o
      WHERE o.n_gram_order <= $longest) AS g
WHERE g.n_gram IS NOT NULL  -- too few words follow
GROUP BY g.reference, g.sentence, g.n_gram_order, g.n_gram
