-- tokenised_texts: the words of every reference of a sentence as a text with blanks between, after normalisation and
--   tokenisation; one row per sentence and reference.
-- kind: relation
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as word_texts (reference_corpus, other_corpora, empty_references, lowercase, punctuation, unicode_form, numbered_as)
-- parameters: as n_gram_matches (tokenize)
-- columns: as word_texts
-- source: Post 2018, A call for clarity in reporting BLEU scores (tokenisation)
SELECT w.reference, w.reference_rank, w.sentence, w.words_text
FROM word_texts(tokenize := 'none') AS w
WHERE $tokenize = 'none'
UNION ALL
SELECT l.reference, l.reference_rank, l.sentence, array_to_string(tokens_of(l.line, $tokenize), ' ') AS words_text
FROM reference_lines AS l
WHERE $tokenize <> 'none'
