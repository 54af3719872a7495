-- evaluated_trees: EVALB's counts for every pair of trees; one row per gold sentence.
-- kind: relation
-- engine: kernel: compares whole trees
-- parameters: as robinson_foulds (gold_corpus, system_corpus, rules)
-- column sentence INTEGER: the sentence
-- column outcome VARCHAR: ok; error where the remaining words differ; skip where the system's tree has none
-- column length BIGINT: number of the gold tree's words, without those of DELETE_LABEL_FOR_LENGTH
-- column sentences BIGINT: 1
-- column errors BIGINT: 1 if the outcome is error
-- column skipped BIGINT: 1 if the outcome is skip
-- column matched BIGINT: brackets of both trees; 0, as all following counts, where the outcome is not ok
-- column gold BIGINT: brackets of the gold tree
-- column test BIGINT: brackets of the system's tree
-- column crossing BIGINT: the system's brackets that overlap a gold one without nesting
-- column tags BIGINT: words compared
-- column correct_tags BIGINT: number of them with the same tag in both trees
-- source: Sekine & Collins 1997, EVALB
SELECT p.sentence, CASE p.counts.outcome WHEN 0 THEN 'ok' WHEN 1 THEN 'error' ELSE 'skip' END AS outcome,
       p.counts.length AS length, CAST(1 AS BIGINT) AS sentences,
       CAST(CASE WHEN p.counts.outcome = 1 THEN 1 ELSE 0 END AS BIGINT) AS errors,
       CAST(CASE WHEN p.counts.outcome = 2 THEN 1 ELSE 0 END AS BIGINT) AS skipped,
       p.counts.matched AS matched, p.counts.gold AS gold, p.counts.test AS test, p.counts.crossing AS crossing,
       p.counts.tags AS tags, p.counts.correct_tags AS correct_tags
FROM (SELECT t.sentence, bracket_counts(t.gold, t.test, t.gold_labels, t.test_labels, t.word_classes, t.labelled,
                                        t.by_gold) AS counts
      FROM parse_pairs AS t) AS p
