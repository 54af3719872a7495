-- evalb: brackets of a parser's trees that are in the gold trees as well, as EVALB counts them; one row per sentence, label and span of words, and one per sentence.
-- kind: metric
-- engine: kernel: words are counted by kept_places
-- parameter gold_corpus TEXT: corpus of the gold trees
-- parameter system_corpus TEXT: corpus of the system's trees
-- parameter rules TEXT = COLLINS: parameter set of the table evalb_parameters
-- audit missing_trees
-- audit discontinuous_phrases
-- column sentence INTEGER: the gold corpus's sentence
-- column length INTEGER: number of its words, traces left out
-- column label VARCHAR: label of the bracket; NULL if labels are not compared, and in the row of a sentence
-- column first INTEGER: position of its first word among the words compared
-- column last INTEGER: position of its last word among the words compared
-- count sentences BIGINT: 1 in the row of a sentence
-- count errors BIGINT: 1 in the row of a sentence whose trees have different words, and no brackets that count
-- count skipped BIGINT: 1 in the row of a sentence whose system's tree has no words to compare
-- count matched BIGINT: how often the bracket is in both trees
-- count gold BIGINT: how often it is in the gold tree
-- count test BIGINT: how often it is in the system's tree
-- count crossing BIGINT: how often it is in the system's tree, if it overlaps a gold bracket without nesting
-- score precision percent = CASE WHEN sum(errors) + sum(skipped) = sum(sentences) AND sum(gold) + sum(test) = 0 THEN NULL
--   ELSE coalesce(sum(matched) / nullif(sum(test), 0), 0) END: share of the system's brackets that are right; 0 where it has none, NULL where no tree can be compared
-- score recall percent = CASE WHEN sum(errors) + sum(skipped) = sum(sentences) AND sum(gold) + sum(test) = 0 THEN NULL
--   ELSE coalesce(sum(matched) / nullif(sum(gold), 0), 0) END: share of the gold brackets that are found, likewise
-- score f1 percent = CASE WHEN sum(errors) + sum(skipped) = sum(sentences) AND sum(gold) + sum(test) = 0 THEN NULL
--   ELSE coalesce(2 * sum(matched) / nullif(sum(gold) + sum(test), 0), 0) END: harmonic mean of both, likewise
-- score status text = CASE WHEN sum(errors) > 0 THEN 'error' WHEN sum(skipped) > 0 THEN 'skip'
--   WHEN sum(sentences) > 0 THEN 'ok' END: ok, error or skip; of single sentences only
-- source: Sekine & Collins 1997, EVALB; Black et al. 1991, A procedure for quantitatively comparing the
--   syntactic coverage of English grammars
SELECT k.sentence, k.length, k.label, k.first, k.last, CAST(0 AS BIGINT) AS sentences, CAST(0 AS BIGINT) AS errors,
       CAST(0 AS BIGINT) AS skipped, least(k.gold, k.test) AS matched, k.gold, k.test,
       CASE WHEN x.sentence IS NULL THEN CAST(0 AS BIGINT) ELSE k.test END AS crossing
FROM bracket_keys AS k
LEFT JOIN crossing_brackets AS x
       ON x.sentence = k.sentence AND x.label IS NOT DISTINCT FROM k.label AND x.first = k.first AND x.last = k.last
UNION ALL
SELECT e.sentence, e.length, NULL AS label, NULL AS first, NULL AS last, 1 AS sentences,
       CAST(CASE WHEN e.outcome = 'error' THEN 1 ELSE 0 END AS BIGINT) AS errors, CAST(CASE WHEN e.outcome = 'skip' THEN 1 ELSE 0 END AS BIGINT) AS skipped,
       0 AS matched, 0 AS gold, 0 AS test, 0 AS crossing
FROM evaluated_trees AS e
