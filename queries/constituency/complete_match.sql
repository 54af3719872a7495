-- complete_match: what EVALB tells of whole sentences: those with all brackets right, those with few crossing, and their tags; one row per sentence that can be compared.
-- kind: metric
-- engine: kernel: words are counted by kept_places
-- parameter gold_corpus TEXT: corpus of the gold trees
-- parameter system_corpus TEXT: corpus of the system's trees
-- parameter rules TEXT = COLLINS: parameter set of the table evalb_parameters
-- audit missing_trees
-- audit discontinuous_phrases
-- column sentence INTEGER: the gold corpus's sentence
-- column length INTEGER: number of its words, traces left out
-- column valid BIGINT: 1
-- column complete BIGINT: 1 if both trees have the same brackets
-- column crossings BIGINT: number of the system's brackets that overlap a gold bracket without nesting
-- column uncrossed BIGINT: 1 if there are none
-- column little_crossed BIGINT: 1 if there are two or fewer
-- column tags BIGINT: number of words compared
-- column correct_tags BIGINT: how many of them have the same tag in both trees
-- score complete_match percent = sum(complete) / nullif(sum(valid), 0): share of sentences with all brackets right and no others
-- score average_crossing number = sum(crossings) / nullif(sum(valid), 0): crossing brackets per sentence
-- score no_crossing percent = sum(uncrossed) / nullif(sum(valid), 0): share of sentences without crossing brackets
-- score two_or_less_crossing percent = sum(little_crossed) / nullif(sum(valid), 0): share of sentences with two or fewer
-- score tagging_accuracy percent = sum(correct_tags) / nullif(sum(tags), 0): share of words with the right tag
-- source: Sekine & Collins 1997, EVALB
SELECT e.sentence, e.length, CAST(1 AS BIGINT) AS valid,
       CAST(CASE WHEN coalesce(b.unmatched, 0) = 0 THEN 1 ELSE 0 END AS BIGINT) AS complete, coalesce(b.crossings, 0) AS crossings,
       CAST(CASE WHEN coalesce(b.crossings, 0) = 0 THEN 1 ELSE 0 END AS BIGINT) AS uncrossed,
       CAST(CASE WHEN coalesce(b.crossings, 0) <= 2 THEN 1 ELSE 0 END AS BIGINT) AS little_crossed, t.tags, t.correct_tags
FROM evaluated_trees AS e
JOIN (SELECT g.sentence, count(*) AS tags,
             CAST(sum(CASE WHEN g.tag IS NOT DISTINCT FROM s.tag THEN 1 ELSE 0 END) AS BIGINT) AS correct_tags
      FROM kept_words(tree_corpus := $gold_corpus, which := 'gold') AS g
      JOIN kept_words(tree_corpus := $system_corpus, which := 'test') AS s
        ON s.sentence = g.sentence AND s.place = g.place
      GROUP BY g.sentence) AS t ON t.sentence = e.sentence
LEFT JOIN (SELECT i.sentence, CAST(sum(i.gold + i.test - 2 * i.matched) AS BIGINT) AS unmatched,
                  CAST(sum(i.crossing) AS BIGINT) AS crossings
           FROM evalb AS i
           GROUP BY i.sentence) AS b ON b.sentence = e.sentence
WHERE e.outcome = 'ok'
