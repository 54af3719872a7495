-- chrf_lines: the text and the words of every reference of a sentence as chrF has them; one row per sentence and reference.
-- kind: relation
-- engine: duckdb: the words are a list
-- parameters: as position_independent_errors (reference_corpus, other_corpora, empty_references, lowercase, punctuation, unicode_form)
-- parameters: as character_overlaps (word_order)
-- parameters: as reference_sentences (numbered_as)
-- column reference VARCHAR: the corpus of the reference
-- column reference_rank INTEGER: 0 for the first reference, greater for later ones
-- column sentence INTEGER: the sentence that it corresponds to
-- column line VARCHAR: its text
-- column chrf_forms VARCHAR[]: its words, none if no n-grams of words are counted
-- source: Popović 2015, chrF: character n-gram F-score for automatic MT evaluation
SELECT r.reference, r.reference_rank, r.sentence, r.line,
       CASE WHEN $word_order > 0 THEN chrf_words(r.line) ELSE CAST([] AS VARCHAR[]) END AS chrf_forms
FROM reference_lines AS r
