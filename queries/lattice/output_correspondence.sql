-- output_correspondence: lattices and outputs of a decoder that do not correspond; one row per fault.
-- kind: audit
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as decoder_search (lattice_corpus, hypothesis_corpus)
-- columns: as tree_correspondence
-- source: Bernreuther 2005, Lattice evaluation techniques, 2.2.3
SELECT f.file, f.line, f.problem, f.hint
FROM reference_correspondence(numbered_as := $lattice_corpus, reference_corpus := $hypothesis_corpus, called := 'lattice',
                              counterpart := 'output') AS f
