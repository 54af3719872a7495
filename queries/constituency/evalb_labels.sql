-- evalb_labels: properties of the labels and tags of a corpus in a parameter file of EVALB; one row per label.
-- kind: relation
-- parameters: as labelled_trees
-- parameters: as robinson_foulds (rules)
-- column number INTEGER: number of the label in constituent_labels
-- column label VARCHAR: the label, or the one that EQ_LABEL replaces it with
-- column left_out BOOLEAN: whether brackets with this label are ignored
-- column deleted BOOLEAN: whether words with this tag are deleted
-- column quote BOOLEAN: whether words with this tag may be quotation marks with a wrong tag
-- column uncounted BOOLEAN: whether words with this tag do not count for the length of a sentence
-- column trace BOOLEAN: whether words with this tag are traces, regardless of EQ_LABEL
-- source: Sekine & Collins 1997, EVALB
SELECT l.number, coalesce(e.same_as, l.label) AS label, o.label IS NOT NULL AS left_out, d.value IS NOT NULL AS deleted,
       q.value IS NOT NULL AS quote, u.value IS NOT NULL AS uncounted,
       l.label = '-NONE-' AS trace
FROM constituent_labels AS l
LEFT JOIN evalb_parameters AS e ON e.parameter_set = $rules AND e.parameter = 'EQ_LABEL' AND e.value = l.label
LEFT JOIN evalb_parameters AS d ON d.parameter_set = $rules AND d.parameter = 'DELETE_LABEL' AND d.value = l.label
LEFT JOIN evalb_parameters AS q ON q.parameter_set = $rules AND q.parameter = 'QUOTE_LABEL' AND q.value = l.label
LEFT JOIN evalb_parameters AS u
       ON u.parameter_set = $rules AND u.parameter = 'DELETE_LABEL_FOR_LENGTH' AND u.value = l.label
LEFT JOIN (SELECT DISTINCT coalesce(c.same_as, s.value) AS label
           FROM evalb_parameters AS s
           LEFT JOIN evalb_parameters AS c
                  ON c.parameter_set = s.parameter_set AND c.parameter = 'EQ_LABEL' AND c.value = s.value
           WHERE s.parameter_set = $rules AND s.parameter = 'DELETE_LABEL') AS o
       ON o.label = coalesce(e.same_as, l.label)
WHERE l.corpus = $tree_corpus
