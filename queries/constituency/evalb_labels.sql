-- evalb_labels: properties of the labels and tags of one or two corpora in a parameter file of EVALB; one row per corpus
--   and label.
-- kind: relation
-- parameters: as labelled_trees
-- parameter beside TEXT = : a second corpus
-- parameters: as robinson_foulds (rules)
-- column corpus VARCHAR: the corpus
-- column number INTEGER: number of the label in constituent_labels
-- column label VARCHAR: the label, or the one that EQ_LABEL replaces it with
-- column left_out BOOLEAN: whether brackets with this label are ignored
-- column deleted BOOLEAN: whether words with this tag are deleted
-- column quote BOOLEAN: whether words with this tag may be quotation marks with a wrong tag
-- column uncounted BOOLEAN: whether words with this tag do not count for the length of a sentence
-- column trace BOOLEAN: whether words with this tag are traces, regardless of EQ_LABEL
-- source: Sekine & Collins 1997, EVALB
SELECT l.corpus, l.number, coalesce(r.same_as, l.label) AS label, coalesce(r.left_out, FALSE) AS left_out,
       coalesce(r.deleted, FALSE) AS deleted, coalesce(r.quote, FALSE) AS quote, coalesce(r.uncounted, FALSE) AS uncounted,
       l.label = '-NONE-' AS trace
FROM constituent_labels AS l
LEFT JOIN evalb_label_rules AS r ON r.label = l.label
WHERE l.corpus = $tree_corpus OR l.corpus = $beside
