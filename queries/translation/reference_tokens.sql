-- reference_tokens: the words of one or several references; one row per word.
-- kind: relation
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameter reference_corpus TEXT: corpus of the references, or of the first of several
-- parameter other_corpora TEXT = : further reference corpora, their names separated by commas
-- column reference VARCHAR: the corpus of the reference
-- column reference_rank INTEGER: 0 for the first reference, 1 for the others
-- column sentence INTEGER: its sentence
-- column word INTEGER: its position
-- column form VARCHAR: the word as written
-- source: Papineni et al. 2002, BLEU: a method for automatic evaluation of machine translation (several references)
SELECT w.corpus AS reference, 0 AS reference_rank, w.sentence, w.word, w.form
FROM words AS w
WHERE w.corpus = $reference_corpus
UNION ALL
SELECT w.corpus AS reference, 1 AS reference_rank, w.sentence, w.word, w.form
FROM words AS w
WHERE $other_corpora <> '' AND w.corpus <> $reference_corpus
  AND replace(',' || $other_corpora || ',', ',' || w.corpus || ',', '') <> ',' || $other_corpora || ','
