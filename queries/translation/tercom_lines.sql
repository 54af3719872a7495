-- tercom_lines: the words of every reference of a sentence as TER has them; one row per sentence and reference.
-- kind: relation
-- engine: duckdb: the words are a list
-- parameters: as position_independent_errors (reference_corpus, other_corpora, empty_references, punctuation, unicode_form)
-- parameters: as edits_with_shifts (case_sensitive, normalized, no_punct, asian_support)
-- parameters: as reference_sentences (numbered_as)
-- column reference VARCHAR: the corpus of the reference
-- column reference_rank INTEGER: 0 for the first reference, greater for later ones
-- column sentence INTEGER: the sentence that it corresponds to
-- column tokens VARCHAR[]: its words in order
-- source: Snover et al. 2006, A study of translation edit rate with targeted human annotation (Tercom)
SELECT r.reference, r.reference_rank, r.sentence,
       tercom_tokens(CASE WHEN $case_sensitive = 'yes' THEN r.line ELSE lower_case(r.line) END,
                     CASE WHEN $normalized = 'no' THEN 'no' WHEN $asian_support = 'no' THEN 'western' ELSE 'asian' END,
                     CASE WHEN $no_punct = 'no' THEN 'no' WHEN $asian_support = 'no' THEN 'western' ELSE 'asian' END) AS tokens
FROM reference_lines AS r
