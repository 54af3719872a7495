-- complete_match: EVALB's scores of whole sentences: complete match, crossing brackets and tagging accuracy; one row
--   per sentence that can be compared.
-- kind: metric
-- engine: kernel: compares whole trees
-- parameters: as robinson_foulds (gold_corpus, system_corpus, rules)
-- audit missing_trees
-- column sentence INTEGER: the gold corpus's sentence
-- column length BIGINT: number of its words, without traces
-- column valid BIGINT: 1
-- column complete BIGINT: 1 if both trees have the same brackets
-- column crossings BIGINT: number of the system's brackets that overlap a gold bracket without nesting
-- column uncrossed BIGINT: 1 if there are none
-- column little_crossed BIGINT: 1 if there are two or fewer
-- column tags BIGINT: number of words compared
-- column correct_tags BIGINT: number of them with the same tag in both trees
-- score complete_match percent higher = sum(complete) / nullif(sum(valid), 0): share of sentences with all brackets right and no others
-- score average_crossing number lower = sum(crossings) / nullif(sum(valid), 0): crossing brackets per sentence
-- score no_crossing percent higher = sum(uncrossed) / nullif(sum(valid), 0): share of sentences without crossing
--   brackets
-- score two_or_less_crossing percent higher = sum(little_crossed) / nullif(sum(valid), 0): share of sentences with two or fewer
-- score tagging_accuracy percent higher = sum(correct_tags) / nullif(sum(tags), 0): share of words with the right tag
-- source: Sekine & Collins 1997, EVALB
SELECT e.sentence, e.length, CAST(1 AS BIGINT) AS valid,
       CAST(CASE WHEN e.matched = e.gold AND e.matched = e.test THEN 1 ELSE 0 END AS BIGINT) AS complete, e.crossing AS crossings,
       CAST(CASE WHEN e.crossing = 0 THEN 1 ELSE 0 END AS BIGINT) AS uncrossed,
       CAST(CASE WHEN e.crossing <= 2 THEN 1 ELSE 0 END AS BIGINT) AS little_crossed, e.tags, e.correct_tags
FROM evaluated_trees AS e
WHERE e.outcome = 'ok'
