-- functional_children: how many function words hang on a word; one row per word that has any.
-- kind: relation
-- parameter tree_corpus TEXT: the corpus
-- column sentence INTEGER: the sentence
-- column head INTEGER: the word that they hang on
-- column children BIGINT: number of its dependents with a functional relation
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies (the
--   scorer's list of functional relations)
SELECT w.sentence, w.head, CAST(count(*) AS BIGINT) AS children
FROM words AS w
WHERE w.corpus = $tree_corpus AND w.head > 0
  AND w.udeprel IN ('aux', 'cop', 'mark', 'det', 'clf', 'case', 'cc')
GROUP BY w.sentence, w.head
