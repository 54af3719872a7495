-- evalb_table: the numbers that EVALB prints for every sentence; one row per sentence.
-- kind: statistic
-- engine: kernel: compares whole trees
-- parameters: as robinson_foulds (gold_corpus, system_corpus, rules)
-- audit missing_trees
-- column sentence INTEGER: the gold corpus's sentence
-- column length BIGINT: number of its words, without traces
-- column outcome VARCHAR: ok, error or skip
-- column matched BIGINT: brackets of both trees
-- column gold BIGINT: brackets of the gold tree
-- column test BIGINT: brackets of the system's tree
-- column crossing BIGINT: the system's brackets that cross a gold one
-- column tags BIGINT: words compared
-- column correct_tags BIGINT: number of them with the same tag in both trees
-- column cutoff_length INTEGER: length up to which sentences count for the second summary
-- source: Sekine & Collins 1997, EVALB
SELECT e.sentence, e.length, e.outcome, e.matched, e.gold, e.test, e.crossing, e.tags, e.correct_tags, r.cutoff_length
FROM evaluated_trees AS e
CROSS JOIN evalb_rules AS r
ORDER BY e.sentence
