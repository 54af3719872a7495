-- lattice_counterparts: lattices of two corpora that do not correspond; one row per fault.
-- kind: audit
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as lattice_differences
-- columns: as tree_correspondence
-- source: Bernreuther 2005, Lattice evaluation techniques, definition 3.1
SELECT f.file, f.line, f.problem, f.hint
FROM reference_correspondence(numbered_as := $lattice_corpus, reference_corpus := $other_lattice_corpus, called := 'lattice',
                              counterpart := 'counterpart') AS f
