-- evalb_table: the numbers that EVALB prints of every sentence; one row per sentence.
-- kind: statistic
-- engine: kernel: words are counted by kept_places
-- parameter gold_corpus TEXT: corpus of the gold trees
-- parameter system_corpus TEXT: corpus of the system's trees
-- parameter rules TEXT = COLLINS: parameter set of the table evalb_parameters
-- audit missing_trees
-- audit discontinuous_phrases
-- column sentence INTEGER: the gold corpus's sentence
-- column length INTEGER: number of its words, traces left out
-- column outcome VARCHAR: ok, error or skip
-- column matched BIGINT: brackets of both trees
-- column gold BIGINT: brackets of the gold tree
-- column test BIGINT: brackets of the system's tree
-- column crossing BIGINT: the system's brackets that cross a gold one
-- column tags BIGINT: words compared
-- column correct_tags BIGINT: how many of them have the same tag in both trees
-- column cutoff_length INTEGER: length up to which sentences count for the second summary
-- source: Sekine & Collins 1997, EVALB
SELECT e.sentence, e.length, e.outcome, coalesce(b.matched, 0) AS matched, coalesce(b.gold, 0) AS gold,
       coalesce(b.test, 0) AS test, coalesce(b.crossing, 0) AS crossing, coalesce(c.tags, 0) AS tags,
       coalesce(c.correct_tags, 0) AS correct_tags, r.cutoff_length
FROM evaluated_trees AS e
CROSS JOIN evalb_rules AS r
LEFT JOIN (SELECT i.sentence, CAST(sum(i.matched) AS BIGINT) AS matched, CAST(sum(i.gold) AS BIGINT) AS gold,
                  CAST(sum(i.test) AS BIGINT) AS test, CAST(sum(i.crossing) AS BIGINT) AS crossing
           FROM evalb AS i
           GROUP BY i.sentence) AS b ON b.sentence = e.sentence
LEFT JOIN complete_match AS c ON c.sentence = e.sentence
ORDER BY e.sentence
