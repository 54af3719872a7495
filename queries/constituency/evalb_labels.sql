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
SELECT p.number, p.label, o.label IS NOT NULL AS left_out, p.deleted, p.quote, p.uncounted, p.trace
FROM (SELECT l.number, coalesce(max(CASE WHEN e.parameter = 'EQ_LABEL' THEN e.same_as END), l.label) AS label,
             coalesce(bool_or(e.parameter = 'DELETE_LABEL'), FALSE) AS deleted,
             coalesce(bool_or(e.parameter = 'QUOTE_LABEL'), FALSE) AS quote,
             coalesce(bool_or(e.parameter = 'DELETE_LABEL_FOR_LENGTH'), FALSE) AS uncounted,
             l.label = '-NONE-' AS trace
      FROM constituent_labels AS l
      LEFT JOIN evalb_parameters AS e ON e.parameter_set = $rules AND e.value = l.label
      WHERE l.corpus = $tree_corpus
      GROUP BY l.number, l.label) AS p
LEFT JOIN (SELECT DISTINCT coalesce(c.same_as, s.value) AS label
           FROM evalb_parameters AS s
           LEFT JOIN evalb_parameters AS c
                  ON c.parameter_set = s.parameter_set AND c.parameter = 'EQ_LABEL' AND c.value = s.value
           WHERE s.parameter_set = $rules AND s.parameter = 'DELETE_LABEL') AS o
       ON o.label = p.label
