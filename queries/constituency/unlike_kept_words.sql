-- unlike_kept_words: sentences in which EVALB keeps as many words of both trees, but not the same ones; one row per sentence.
-- kind: relation
-- engine: kernel: words are counted by kept_places
-- parameter gold_corpus TEXT: corpus of the gold trees
-- parameter system_corpus TEXT: corpus of the system's trees
-- parameter rules TEXT = COLLINS: parameter set of the table evalb_parameters
-- column sentence INTEGER: the sentence
-- source: Sekine & Collins 1997, EVALB ("Words unmatch")
SELECT DISTINCT d.sentence
FROM (SELECT p.sentence
      FROM kept_places(tree_corpus := $gold_corpus, which := 'gold') AS p
      JOIN kept_places(tree_corpus := $system_corpus, which := 'test') AS q ON q.sentence = p.sentence
      WHERE p.kept = q.kept AND p.digest <> q.digest) AS d
JOIN kept_words(tree_corpus := $gold_corpus, which := 'gold') AS g ON g.sentence = d.sentence
JOIN kept_words(tree_corpus := $system_corpus, which := 'test') AS t ON t.sentence = g.sentence AND t.place = g.place
WHERE g.form <> t.form
