-- discontinuous_brackets: brackets with gaps that a parser's trees share with the gold trees; one row per sentence,
--   label and set of words.
-- kind: metric
-- engine: kernel: compares whole trees
-- parameters: as robinson_foulds (gold_corpus, system_corpus, rules)
-- audit missing_trees
-- column sentence INTEGER: the gold corpus's sentence
-- column length BIGINT: number of its words, without traces
-- column label VARCHAR: label of the bracket; NULL if labels are not compared
-- column first INTEGER: position of its first word among the words compared
-- column last INTEGER: position of its last word among the words compared
-- column gaps INTEGER: number of gaps between its words
-- column height INTEGER: largest number of brackets from it down to a word, as in evalb
-- count disc_matched BIGINT: number of times the bracket is in both trees
-- count disc_gold BIGINT: number of times it is in the gold tree
-- count disc_test BIGINT: number of times it is in the system's tree
-- score disc_precision percent higher = sum(disc_matched) / nullif(sum(disc_test), 0): share of the system's brackets with
--   gaps that are right; NULL where it has none
-- score disc_recall percent higher = sum(disc_matched) / nullif(sum(disc_gold), 0): share of the gold brackets with gaps
--   that are found; NULL where there are none
-- score disc_f1 percent higher = 2 * sum(disc_matched) / nullif(sum(disc_gold) + sum(disc_test), 0): harmonic mean of
--   precision and recall of brackets with gaps; NULL where neither has any
-- source: van Cranenburgh, Scha & Bod 2016, Data-oriented parsing with discontinuous constituents and function tags
SELECT e.sentence, e.length, e.label, e.first, e.last, e.gaps, e.height, e.matched AS disc_matched,
       e.gold AS disc_gold, e.test AS disc_test
FROM evalb AS e
WHERE e.gaps > 0
