-- evaluated_trees: which pairs of trees EVALB can compare; one row per gold sentence.
-- kind: relation
-- engine: kernel: words are counted by kept_places
-- parameter gold_corpus TEXT: corpus of the gold trees
-- parameter system_corpus TEXT: corpus of the system's trees
-- parameter rules TEXT = COLLINS: parameter set of the table evalb_parameters
-- column sentence INTEGER: the sentence
-- column outcome VARCHAR: ok; error where the words that are kept differ; skip where the system's tree has none
-- column length INTEGER: number of the gold tree's words, but for those of DELETE_LABEL_FOR_LENGTH
-- source: Sekine & Collins 1997, EVALB
SELECT s.sentence,
       CASE WHEN coalesce(t.kept, 0) = 0 THEN 'skip'
            WHEN coalesce(g.kept, 0) <> t.kept OR u.sentence IS NOT NULL THEN 'error'
            ELSE 'ok' END AS outcome,
       s.n_words - CAST(coalesce(n.uncounted, 0) AS INTEGER) AS length
FROM sentences AS s
LEFT JOIN kept_places(tree_corpus := $gold_corpus, which := 'gold') AS g ON g.sentence = s.sentence
LEFT JOIN kept_places(tree_corpus := $system_corpus, which := 'test') AS t ON t.sentence = s.sentence
LEFT JOIN unlike_kept_words AS u ON u.sentence = s.sentence
LEFT JOIN (SELECT w.sentence, count(*) AS uncounted
           FROM words AS w
           JOIN evalb_parameters AS e
             ON e.parameter_set = $rules AND e.parameter = 'DELETE_LABEL_FOR_LENGTH' AND e.value = w.xpos
           WHERE w.corpus = $gold_corpus
           GROUP BY w.sentence) AS n ON n.sentence = s.sentence
WHERE s.corpus = $gold_corpus
