-- leaf_ancestor: how similar the phrases above each word are in a parser's trees and the gold trees; one row per
--   sentence that can be compared.
-- kind: metric
-- engine: kernel: compares whole trees
-- parameters: as robinson_foulds (gold_corpus, system_corpus, rules)
-- audit missing_trees
-- column sentence INTEGER: the gold corpus's sentence
-- column compared BIGINT: 1
-- column words BIGINT: number of words compared
-- column similarities DOUBLE: sum of their similarities: 1 less the edit distance of the word's two lineages as a share
--   of the sum of their lengths. A lineage lists the labels of the phrases above the word from the top, with marks where
--   the word begins or ends a phrase or, at a gap, a part of one
-- column similarity DOUBLE: their mean
-- score leaf_ancestor percent higher = sum(similarity) / nullif(sum(compared), 0): mean similarity of the words of a
--   sentence, averaged over sentences
-- score leaf_ancestor_micro percent higher = sum(similarities) / nullif(sum(words), 0): mean similarity of all words
-- source: Sampson 2000, A proposal for improving the measurement of parse accuracy; van Cranenburgh, Scha & Bod 2016,
--   Data-oriented parsing with discontinuous constituents and function tags (a substitution costs 1, marks of gaps)
SELECT c.sentence, CAST(1 AS BIGINT) AS compared, c.found.words AS words, c.found.similarity AS similarities,
       c.found.similarity / c.found.words AS similarity
FROM (SELECT p.sentence, compared_lineages(p.gold, p.test, p.gold_labels, p.test_labels, p.word_classes, p.labelled,
                                           p.by_gold) AS found
      FROM parse_pairs AS p) AS c
WHERE c.found.words > 0
