-- evalb: brackets that a parser's trees share with the gold trees, as EVALB counts them; one row per sentence, label
--   and set of words, and one per sentence.
-- kind: metric
-- engine: kernel: compares whole trees
-- parameters: as robinson_foulds (gold_corpus, system_corpus, rules)
-- audit missing_trees
-- totals evaluated_trees
-- column sentence INTEGER: the gold corpus's sentence
-- column length BIGINT: number of its words, without traces
-- column label VARCHAR: label of the bracket; NULL if labels are not compared, and in the row of a sentence
-- column first INTEGER: position of its first word among the words compared
-- column last INTEGER: position of its last word among the words compared
-- column span_length INTEGER: number of words from its first to its last
-- column gaps INTEGER: number of gaps between its words, 0 for a span
-- column height INTEGER: largest number of brackets from it down to a word, itself included, 1 for one with only words
--   in it; in the gold tree if that has the bracket, else in the system's
-- count sentences BIGINT: 1 in the row of a sentence
-- count errors BIGINT: 1 in the row of a sentence whose trees have different words, and no brackets that count
-- count skipped BIGINT: 1 in the row of a sentence whose system's tree has no words to compare
-- count matched BIGINT: number of times the bracket is in both trees
-- count gold BIGINT: number of times it is in the gold tree
-- count test BIGINT: number of times it is in the system's tree
-- count crossing BIGINT: number of times it is in the system's tree, if it overlaps a gold bracket without nesting
-- term nothing = coalesce(sum(errors) + sum(skipped) = sum(sentences) AND sum(gold) + sum(test) = 0, TRUE)
-- score precision percent higher = CASE WHEN {nothing} THEN NULL ELSE coalesce(sum(matched) / nullif(sum(test), 0), 0) END:
--   share of the system's brackets that are right; 0 where it has none, NULL where no tree can be compared
-- score recall percent higher = CASE WHEN {nothing} THEN NULL ELSE coalesce(sum(matched) / nullif(sum(gold), 0), 0) END:
--   share of the gold brackets that are found; 0 where there are none, NULL where no tree can be compared
-- score f1 percent higher = CASE WHEN {nothing} THEN NULL
--   ELSE coalesce(2 * sum(matched) / nullif(sum(gold) + sum(test), 0), 0) END: harmonic mean of precision and recall; 0
--   and NULL likewise
-- score status text = CASE WHEN sum(errors) > 0 THEN 'error' WHEN sum(skipped) > 0 THEN 'skip'
--   WHEN sum(sentences) > 0 THEN 'ok' END: ok, error or skip; of single sentences only
-- source: Sekine & Collins 1997, EVALB; Black et al. 1991, A procedure for quantitatively comparing the
--   syntactic coverage of English grammars
SELECT b.sentence, b.length, n.label, nullif(b.bracket.first, 0) AS first, nullif(b.bracket.last, 0) AS last,
       CASE WHEN b.bracket.first > 0 THEN b.bracket.last - b.bracket.first + 1 END AS span_length,
       CASE WHEN b.bracket.first > 0 THEN b.bracket.gaps END AS gaps,
       CASE WHEN b.bracket.first > 0 THEN b.bracket.height END AS height,
       CAST(CASE WHEN b.bracket.first = 0 THEN 1 ELSE 0 END AS BIGINT) AS sentences,
       CAST(CASE WHEN b.bracket.first = 0 AND b.outcome = 1 THEN 1 ELSE 0 END AS BIGINT) AS errors,
       CAST(CASE WHEN b.bracket.first = 0 AND b.outcome = 2 THEN 1 ELSE 0 END AS BIGINT) AS skipped,
       CAST(least(b.bracket.gold, b.bracket.test) AS BIGINT) AS matched, CAST(b.bracket.gold AS BIGINT) AS gold,
       CAST(b.bracket.test AS BIGINT) AS test, CAST(b.bracket.crossing AS BIGINT) AS crossing
FROM (SELECT p.sentence, p.found.length AS length, p.found.outcome AS outcome, unnest(p.found.brackets) AS bracket
      FROM bracket_pairs AS p) AS b
LEFT JOIN compared_labels AS n ON n.number = b.bracket.label
