-- kept_brackets: the brackets that EVALB compares, in the sentences of one of two corpora; one row per bracket.
-- kind: relation
-- engine: kernel: words are counted by kept_places
-- parameter gold_corpus TEXT: corpus of the gold trees
-- parameter system_corpus TEXT: corpus of the system's trees
-- parameter tree_corpus TEXT: one of the two
-- parameter which TEXT(gold|test): which of the two it is
-- parameter rules TEXT = COLLINS: parameter set of the table evalb_parameters
-- column sentence INTEGER: its sentence
-- column label VARCHAR: its label, or the one in whose place EQ_LABEL puts it; NULL if labels are not compared
-- column first INTEGER: position of its first word among the kept words
-- column last INTEGER: position of its last word among the kept words
-- source: Sekine & Collins 1997, EVALB
SELECT c.sentence, CASE WHEN r.labelled THEN c.label END AS label, p.places[c.first] + 1 AS first,
       p.places[c.last + 1] AS last
FROM (SELECT n.sentence, coalesce(e.same_as, n.label) AS label, n.first, n.last
      FROM constituents AS n
      LEFT JOIN (SELECT s.value, s.same_as
                 FROM evalb_parameters AS s
                 WHERE s.parameter_set = $rules AND s.parameter = 'EQ_LABEL') AS e ON e.value = n.label
      WHERE n.corpus = $tree_corpus) AS c
JOIN kept_places AS p ON p.sentence = c.sentence
CROSS JOIN evalb_rules AS r
LEFT JOIN (SELECT DISTINCT coalesce(e.same_as, s.value) AS label
           FROM evalb_parameters AS s
           LEFT JOIN evalb_parameters AS e
                  ON e.parameter_set = s.parameter_set AND e.parameter = 'EQ_LABEL' AND e.value = s.value
           WHERE s.parameter_set = $rules AND s.parameter = 'DELETE_LABEL') AS d ON d.label = c.label
WHERE d.label IS NULL AND p.places[c.last + 1] > p.places[c.first]
