-- crossing_brackets: the system's brackets that overlap a gold bracket without nesting; one row per sentence, label and span.
-- kind: relation
-- engine: kernel: words are counted by kept_places
-- parameter gold_corpus TEXT: corpus of the gold trees
-- parameter system_corpus TEXT: corpus of the system's trees
-- parameter rules TEXT = COLLINS: parameter set of the table evalb_parameters
-- column sentence INTEGER: the sentence
-- column label VARCHAR: label of the bracket, NULL if labels are not compared
-- column first INTEGER: position of its first word among the kept words
-- column last INTEGER: position of its last word among the kept words
-- source: Black et al. 1991, A procedure for quantitatively comparing the syntactic coverage of English grammars
SELECT DISTINCT t.sentence, t.label, t.first, t.last
FROM bracket_keys AS t
JOIN bracket_keys AS g ON g.sentence = t.sentence
WHERE t.test > 0 AND t.gold = 0 AND g.gold > 0
  AND ((g.first < t.first AND g.last >= t.first AND g.last < t.last)
       OR (g.first > t.first AND g.first <= t.last AND g.last > t.last))
