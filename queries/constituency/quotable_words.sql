-- quotable_words: the words of sentences with quotation marks that count, or may count, counted; one row per word.
-- kind: relation
-- parameter tree_corpus TEXT: corpus of the trees
-- parameter rules TEXT = COLLINS: parameter set of the table evalb_parameters
-- column sentence INTEGER: its sentence
-- column word INTEGER: position in the sentence
-- column tag VARCHAR: its tag
-- column deleted BOOLEAN: whether its tag is one whose words are left out
-- column quote BOOLEAN: whether it is a quotation mark, or may be by its tag
-- column place BIGINT: position among these words
-- column kept BIGINT: how many words of the sentence are not left out
-- source: Sekine & Collins 1997, EVALB (QUOTE_LABEL, in the revision of 2006)
SELECT w.sentence, w.word, w.tag, w.deleted, w.quote,
       row_number() OVER (PARTITION BY w.sentence ORDER BY w.word) AS place,
       CAST(sum(CASE WHEN w.deleted THEN 0 ELSE 1 END) OVER (PARTITION BY w.sentence) AS BIGINT) AS kept
FROM evalb_words AS w
WHERE (w.quote OR NOT w.deleted)
  AND w.sentence IN (SELECT q.sentence FROM evalb_words AS q WHERE q.quote)
