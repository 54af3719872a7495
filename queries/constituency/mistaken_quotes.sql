-- mistaken_quotes: quotation marks that one tree leaves out by their tags and the other does not, where therefore the numbers of words differ; they count in both; one row per mark.
-- kind: relation
-- parameter gold_corpus TEXT: corpus of the gold trees
-- parameter system_corpus TEXT: corpus of the system's trees
-- parameter rules TEXT = COLLINS: parameter set of the table evalb_parameters
-- column sentence INTEGER: its sentence
-- column gold_word INTEGER: position in the gold tree, if that leaves it out
-- column test_word INTEGER: position in the system's tree, if that leaves it out
-- source: Sekine & Collins 1997, EVALB (QUOTE_LABEL, in the revision of 2006)
SELECT g.sentence, CASE WHEN g.deleted THEN g.word END AS gold_word, CASE WHEN t.deleted THEN t.word END AS test_word
FROM quotable_words(tree_corpus := $gold_corpus) AS g
JOIN quotable_words(tree_corpus := $system_corpus) AS t ON t.sentence = g.sentence AND t.place = g.place
WHERE g.quote AND t.quote AND g.deleted <> t.deleted AND g.kept <> t.kept AND t.kept > 0
