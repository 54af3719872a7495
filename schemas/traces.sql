-- traces: the empty elements of Penn trees, words tagged `-NONE-`, with the phrases that they stand for; one row per
--   element and antecedent.
-- kind: view
-- engine: duckdb: regular expressions
-- column corpus VARCHAR: its corpus
-- column sentence INTEGER: its sentence
-- column word INTEGER: its position
-- column phrase INTEGER: node of the phrase that it is in, for example the subject that is empty
-- column element VARCHAR: what it is, without its index: `*T*`, `*`, `*ICH*`, `0`, ...
-- column identity_index INTEGER: the index at its end, 1 in `*T*-1`; NULL if it has none
-- column antecedent INTEGER: node of the phrase with this index, `-1` in `WHNP-1`; NULL if there is none
-- source: Bies et al. 1995, Bracketing Guidelines for Treebank II Style, chapter 4
SELECT w.corpus, w.sentence, w.word, w.phrase,
       regexp_replace(w.form, '-[0-9]{1,9}$', '') AS element,
       CAST(nullif(regexp_extract(w.form, '-([0-9]{1,9})$', 1), '') AS INTEGER) AS identity_index,
       c.node AS antecedent
FROM words AS w
LEFT JOIN constituents AS c
  ON c.corpus = w.corpus AND c.sentence = w.sentence
  AND regexp_extract(c.functions, '-([0-9]{1,9})(=|$)', 1) = nullif(regexp_extract(w.form, '-([0-9]{1,9})$', 1), '')
WHERE w.xpos = '-NONE-'
