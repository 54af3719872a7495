-- evalb_word_classes: the words that a parameter file of EVALB makes equal or deletes, as lists of keys; one row.
-- kind: relation
-- engine: kernel: words have keys of 64 bits
-- parameters: as robinson_foulds (rules)
-- column classes STRUCT(members UBIGINT[], representatives UBIGINT[]): keys of words, and of the word that stands for
--   each; 0 for a word that is deleted
-- source: Sekine & Collins 1997, EVALB
SELECT struct_pack(members := coalesce(list(text_key(e.value)), []),
                   representatives := coalesce(list(e.word), [])) AS classes
FROM (SELECT q.value, CASE WHEN d.value IS NULL THEN text_key(q.same_as) ELSE 0 END AS word
      FROM evalb_parameters AS q
      LEFT JOIN evalb_parameters AS d
        ON d.parameter_set = q.parameter_set AND d.parameter = 'DELETE_WORD' AND d.value = q.same_as
      WHERE q.parameter_set = $rules AND q.parameter = 'EQ_WORD'
      UNION ALL
      SELECT d.value, CAST(0 AS UBIGINT) AS word
      FROM evalb_parameters AS d
      WHERE d.parameter_set = $rules AND d.parameter = 'DELETE_WORD') AS e
