-- bracket_keys: how often a bracket stands in the gold tree and in the system's tree; one row per sentence, label and span.
-- kind: relation
-- engine: kernel: words are counted by kept_places
-- parameter gold_corpus TEXT: corpus of the gold trees
-- parameter system_corpus TEXT: corpus of the system's trees
-- parameter rules TEXT = COLLINS: parameter set of the table evalb_parameters
-- column sentence INTEGER: the sentence
-- column length INTEGER: its length
-- column label VARCHAR: label of the bracket, NULL if labels are not compared
-- column first INTEGER: position of its first word among the kept words
-- column last INTEGER: position of its last word among the kept words
-- column gold BIGINT: how often the gold tree has it
-- column test BIGINT: how often the system's tree has it
-- source: Sekine & Collins 1997, EVALB
SELECT k.sentence, e.length, k.label, k.first, k.last, k.gold, k.test
FROM (SELECT b.sentence, b.label, b.first, b.last, CAST(sum(b.gold) AS BIGINT) AS gold, CAST(sum(b.test) AS BIGINT) AS test
      FROM (SELECT g.sentence, g.label, g.first, g.last, 1 AS gold, 0 AS test
            FROM kept_brackets(tree_corpus := $gold_corpus, which := 'gold') AS g
            UNION ALL
            SELECT t.sentence, t.label, t.first, t.last, 0 AS gold, 1 AS test
            FROM kept_brackets(tree_corpus := $system_corpus, which := 'test') AS t) AS b
      GROUP BY b.sentence, b.label, b.first, b.last) AS k
JOIN evaluated_trees AS e ON e.sentence = k.sentence
WHERE e.outcome = 'ok'
