-- evalb_words: which words EVALB leaves out, by the tags of the tree that they are in; one row per word.
-- kind: relation
-- parameter tree_corpus TEXT: corpus of the trees
-- parameter rules TEXT = COLLINS: parameter set of the table evalb_parameters
-- column sentence INTEGER: its sentence
-- column word INTEGER: position in the sentence
-- column form VARCHAR: the word
-- column tag VARCHAR: its tag
-- column deleted BOOLEAN: whether its tag is one whose words are left out
-- column quote BOOLEAN: whether it is a quotation mark, or may be by its tag
-- source: Sekine & Collins 1997, EVALB (DELETE_LABEL, QUOTE_LABEL)
SELECT w.sentence, w.word, w.form, w.xpos AS tag, d.value IS NOT NULL AS deleted,
       q.value IS NOT NULL AND w.form IN ('''', '"', '/') AS quote
FROM words AS w
LEFT JOIN (SELECT e.value
           FROM evalb_parameters AS e
           WHERE e.parameter_set = $rules AND e.parameter = 'DELETE_LABEL') AS d ON d.value = w.xpos
LEFT JOIN (SELECT e.value
           FROM evalb_parameters AS e
           WHERE e.parameter_set = $rules AND e.parameter = 'QUOTE_LABEL') AS q ON q.value = w.xpos
WHERE w.corpus = $tree_corpus
