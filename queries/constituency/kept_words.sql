-- kept_words: the words that EVALB compares, in the sentences of one of two corpora; one row per word.
-- kind: relation
-- engine: kernel: words are counted by kept_places
-- parameter gold_corpus TEXT: corpus of the gold trees
-- parameter system_corpus TEXT: corpus of the system's trees
-- parameter tree_corpus TEXT: one of the two
-- parameter which TEXT(gold|test): which of the two it is
-- parameter rules TEXT = COLLINS: parameter set of the table evalb_parameters
-- column sentence INTEGER: its sentence
-- column place INTEGER: position among the kept words
-- column form VARCHAR: the word, or the one in whose place EQ_WORD puts it
-- column tag VARCHAR: its tag, or the one in whose place EQ_LABEL puts it
-- source: Sekine & Collins 1997, EVALB
SELECT w.sentence, p.places[w.word + 1] AS place, coalesce(f.same_as, w.form) AS form, coalesce(l.same_as, w.tag) AS tag
FROM evalb_words AS w
JOIN kept_places AS p ON p.sentence = w.sentence
LEFT JOIN (SELECT e.value, e.same_as
           FROM evalb_parameters AS e
           WHERE e.parameter_set = $rules AND e.parameter = 'EQ_WORD') AS f ON f.value = w.form
LEFT JOIN (SELECT e.value, e.same_as
           FROM evalb_parameters AS e
           WHERE e.parameter_set = $rules AND e.parameter = 'EQ_LABEL') AS l ON l.value = w.tag
WHERE p.places[w.word + 1] > p.places[w.word]
