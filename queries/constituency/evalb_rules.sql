-- evalb_rules: the settings of a parameter file of EVALB; one row.
-- kind: relation
-- engine: duckdb: rejects an unknown parameter set
-- parameters: as robinson_foulds (rules)
-- column labelled BOOLEAN: whether labels are compared
-- column by_gold BOOLEAN: whether gold tags alone say which words are deleted, from both trees
-- column cutoff_length INTEGER: length of the sentences that the second summary is of
-- source: Sekine & Collins 1997, EVALB
SELECT CASE WHEN count(*) = 0
            THEN CAST(error('evalb_parameters has no parameter set ' || $rules) AS BOOLEAN)
            ELSE coalesce(max(CASE WHEN e.parameter = 'LABELED' THEN e.value END), '1') = '1' END AS labelled,
       coalesce(max(CASE WHEN e.parameter = 'DELETE_BY' THEN e.value END), 'own') = 'gold' AS by_gold,
       CAST(coalesce(max(CASE WHEN e.parameter = 'CUTOFF_LEN' THEN e.value END), '40') AS INTEGER) AS cutoff_length
FROM evalb_parameters AS e
WHERE e.parameter_set = $rules
