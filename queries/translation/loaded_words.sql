-- loaded_words: the words of one or several references as they are loaded; one row per word.
-- kind: relation
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as position_independent_errors (reference_corpus, other_corpora)
-- column reference VARCHAR: the corpus of the reference
-- column reference_sentence INTEGER: the number of its sentence there
-- column word INTEGER: its position
-- column form VARCHAR: the word as written
-- source: Papineni et al. 2002, BLEU: a method for automatic evaluation of machine translation (several references)
SELECT w.corpus AS reference, w.sentence AS reference_sentence, w.word, w.form
FROM words AS w
WHERE w.corpus = $reference_corpus
UNION ALL
SELECT w.corpus AS reference, w.sentence AS reference_sentence, w.word, w.form
FROM words AS w
WHERE $other_corpora <> '' AND w.corpus <> $reference_corpus
  AND replace(',' || $other_corpora || ',', ',' || w.corpus || ',', '') <> ',' || $other_corpora || ','
