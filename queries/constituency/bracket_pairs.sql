-- bracket_pairs: the brackets of two trees, compared as in EVALB; one row per gold sentence.
-- kind: relation
-- engine: kernel: compares whole trees
-- parameters: as robinson_foulds (gold_corpus, system_corpus, rules)
-- column sentence INTEGER: the sentence
-- column found STRUCT(length BIGINT, outcome BIGINT, "matched" BIGINT, gold BIGINT, test BIGINT, crossing BIGINT, tags BIGINT, correct_tags BIGINT, brackets STRUCT("label" INTEGER, "first" INTEGER, "last" INTEGER, gold INTEGER, test INTEGER, crossing INTEGER, gaps INTEGER, height INTEGER)[]): as
--   compared_brackets returns it
-- source: Sekine & Collins 1997, EVALB
SELECT p.sentence, compared_brackets(p.gold, p.test, p.gold_labels, p.test_labels, p.word_classes, p.labelled,
                                     p.by_gold) AS found
FROM parse_pairs AS p
