-- kept_places: how many words EVALB keeps of each sentence, and before each of its words; one row per sentence with words.
-- kind: relation
-- engine: kernel: counts kept words from the list of those left out
-- parameter gold_corpus TEXT: corpus of the gold trees
-- parameter system_corpus TEXT: corpus of the system's trees
-- parameter tree_corpus TEXT: one of the two
-- parameter which TEXT(gold|test): which of the two it is
-- parameter rules TEXT = COLLINS: parameter set of the table evalb_parameters
-- column sentence INTEGER: the sentence
-- column kept BIGINT: number of its words that are kept
-- column digest HUGEINT: a number made from the kept words and their positions: equal numbers, equal words
-- column places INTEGER[]: at 1 + n the number of words kept among its first n
-- source: Sekine & Collins 1997, EVALB
SELECT w.sentence, CAST(sum(CASE WHEN w.left_out THEN 0 ELSE 1 END) AS BIGINT) AS kept,
       coalesce(sum(CASE WHEN w.left_out THEN 0 ELSE hash(w.form, w.word) END), 0) AS digest,
       kept_before(coalesce(list(w.word) FILTER (WHERE w.left_out), []), CAST(count(*) AS INTEGER)) AS places
FROM (SELECT e.sentence, e.word, e.form, e.deleted AND q.sentence IS NULL AS left_out
      FROM evalb_words AS e
      LEFT JOIN mistaken_quotes AS q
             ON q.sentence = e.sentence
            AND CASE WHEN $which = 'gold' THEN q.gold_word ELSE q.test_word END = e.word) AS w
GROUP BY w.sentence
