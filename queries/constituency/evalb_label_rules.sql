-- evalb_label_rules: what a parameter file of EVALB says of labels and tags; one row per label that it names.
-- kind: relation
-- parameters: as robinson_foulds (rules)
-- column label VARCHAR: the label
-- column same_as VARCHAR: the label that EQ_LABEL replaces it with; NULL for none
-- column left_out BOOLEAN: whether brackets with this label are ignored
-- column deleted BOOLEAN: whether words with this tag are deleted
-- column quote BOOLEAN: whether words with this tag may be quotation marks with a wrong tag
-- column uncounted BOOLEAN: whether words with this tag do not count for the length of a sentence
-- source: Sekine & Collins 1997, EVALB
SELECT p.label, p.same_as, o.label IS NOT NULL AS left_out, p.deleted = 1 AS deleted, p.quote = 1 AS quote,
       p.uncounted = 1 AS uncounted
FROM (SELECT n.label, max(CASE WHEN e.parameter = 'EQ_LABEL' THEN e.same_as END) AS same_as,
             max(CASE WHEN e.parameter = 'DELETE_LABEL' THEN 1 ELSE 0 END) AS deleted,
             max(CASE WHEN e.parameter = 'QUOTE_LABEL' THEN 1 ELSE 0 END) AS quote,
             max(CASE WHEN e.parameter = 'DELETE_LABEL_FOR_LENGTH' THEN 1 ELSE 0 END) AS uncounted
      FROM (SELECT v.value AS label FROM evalb_parameters AS v WHERE v.parameter_set = $rules
            UNION
            SELECT s.same_as AS label FROM evalb_parameters AS s WHERE s.parameter_set = $rules) AS n
      LEFT JOIN evalb_parameters AS e ON e.parameter_set = $rules AND e.value = n.label
      WHERE n.label IS NOT NULL
      GROUP BY n.label) AS p
LEFT JOIN (SELECT DISTINCT coalesce(c.same_as, d.value) AS label
           FROM evalb_parameters AS d
           LEFT JOIN evalb_parameters AS c
                  ON c.parameter_set = d.parameter_set AND c.parameter = 'EQ_LABEL' AND c.value = d.value
           WHERE d.parameter_set = $rules AND d.parameter = 'DELETE_LABEL') AS o
       ON o.label = coalesce(p.same_as, p.label)
