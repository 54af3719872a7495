-- evaluated_trees: EVALB's counts for every pair of trees; one row per gold sentence.
-- kind: relation
-- engine: kernel: compares whole trees
-- parameters: as robinson_foulds (gold_corpus, system_corpus, rules)
-- column sentence INTEGER: the sentence
-- column outcome VARCHAR: ok; error where the remaining words differ; skip where the system's tree has none
-- column length BIGINT: number of the gold tree's words, without those of DELETE_LABEL_FOR_LENGTH
-- column matched BIGINT: brackets of both trees; 0, as all following counts, where the outcome is not ok
-- column gold BIGINT: brackets of the gold tree
-- column test BIGINT: brackets of the system's tree
-- column crossing BIGINT: the system's brackets that overlap a gold one without nesting
-- column tags BIGINT: words compared
-- column correct_tags BIGINT: number of them with the same tag in both trees
-- source: Sekine & Collins 1997, EVALB
SELECT p.sentence, CASE p.found.outcome WHEN 0 THEN 'ok' WHEN 1 THEN 'error' ELSE 'skip' END AS outcome, p.found.length AS length,
       p.found.matched AS matched, p.found.gold AS gold, p.found.test AS test, p.found.crossing AS crossing,
       p.found.tags AS tags, p.found.correct_tags AS correct_tags
FROM bracket_pairs AS p
