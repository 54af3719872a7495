-- baseline_correspondence: translations of the first system and references that do not correspond; one row per fault.
-- kind: audit
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as position_independent_errors (reference_corpus)
-- parameters: as n_gram_differences (baseline_corpus)
-- parameters: as position_independent_errors (other_corpora, empty_references)
-- columns: as tree_correspondence
-- source: Papineni et al. 2002, BLEU: a method for automatic evaluation of machine translation (sacrebleu refuses as well)
SELECT f.file, f.line, f.problem, f.hint
FROM reference_correspondence(numbered_as := $baseline_corpus, called := 'hypothesis') AS f
