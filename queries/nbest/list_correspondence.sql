-- list_correspondence: n-best lists and references that do not correspond; one row per fault.
-- kind: audit
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as compared_references (nbest_corpus, reference_corpus, other_corpora)
-- columns: as tree_correspondence
-- source: Papineni et al. 2002, BLEU: a method for automatic evaluation of machine translation (sacrebleu refuses as well)
SELECT f.file, f.line, f.problem, f.hint
FROM reference_correspondence(numbered_as := $nbest_corpus, called := 'list') AS f
