-- reference_sentences: the sentences of one or several references; one row per sentence and reference.
-- kind: relation
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameter reference_corpus TEXT: corpus of the references, or of the first of several
-- parameter other_corpora TEXT = : further reference corpora, their names separated by commas
-- column reference VARCHAR: the corpus of the reference
-- column reference_rank INTEGER: 0 for the first reference, 1 for the others
-- column sentence INTEGER: its sentence
-- column n_words INTEGER: number of its words
-- source: Papineni et al. 2002, BLEU: a method for automatic evaluation of machine translation (several references)
SELECT s.corpus AS reference, 0 AS reference_rank, s.sentence, s.n_words
FROM sentences AS s
WHERE s.corpus = $reference_corpus
UNION ALL
SELECT s.corpus AS reference, 1 AS reference_rank, s.sentence, s.n_words
FROM sentences AS s
WHERE $other_corpora <> '' AND s.corpus <> $reference_corpus
  AND replace(',' || $other_corpora || ',', ',' || s.corpus || ',', '') <> ',' || $other_corpora || ','
