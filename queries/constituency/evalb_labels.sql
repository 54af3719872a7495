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
SELECT p.corpus, p.number, coalesce(p.equal, p.own) AS label, o.label IS NOT NULL AS left_out, p.deleted = 1 AS deleted,
       p.quote = 1 AS quote, p.uncounted = 1 AS uncounted, p.own = '-NONE-' AS trace
FROM (SELECT l.corpus, l.number, l.label AS own, max(CASE WHEN e.parameter = 'EQ_LABEL' THEN e.same_as END) AS equal,
             max(CASE WHEN e.parameter = 'DELETE_LABEL' THEN 1 ELSE 0 END) AS deleted,
             max(CASE WHEN e.parameter = 'QUOTE_LABEL' THEN 1 ELSE 0 END) AS quote,
             max(CASE WHEN e.parameter = 'DELETE_LABEL_FOR_LENGTH' THEN 1 ELSE 0 END) AS uncounted
      FROM constituent_labels AS l
      LEFT JOIN evalb_parameters AS e ON e.parameter_set = $rules AND e.value = l.label
      WHERE l.corpus = $tree_corpus OR l.corpus = $beside
      GROUP BY l.corpus, l.number, l.label) AS p
LEFT JOIN (SELECT DISTINCT coalesce(c.same_as, s.value) AS label
           FROM evalb_parameters AS s
           LEFT JOIN evalb_parameters AS c
                  ON c.parameter_set = s.parameter_set AND c.parameter = 'EQ_LABEL' AND c.value = s.value
           WHERE s.parameter_set = $rules AND s.parameter = 'DELETE_LABEL') AS o
       ON o.label = coalesce(p.equal, p.own)
