-- reference_lines: the text of every reference of a sentence, after normalisation; one row per sentence and reference.
-- kind: relation
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as position_independent_errors (reference_corpus, other_corpora, empty_references, lowercase, punctuation, unicode_form)
-- parameters: as reference_sentences (numbered_as)
-- without_lines loaded_words
-- column reference VARCHAR: the corpus of the reference
-- column reference_rank INTEGER: 0 for the first reference, greater for later ones
-- column sentence INTEGER: the sentence that it corresponds to
-- column line VARCHAR: its text: the line of a file of texts, `# text` of a treebank, else its words with blanks between
-- source: Post 2018, A call for clarity in reporting BLEU scores (tokenisation of the text as given)
SELECT t.reference, t.reference_rank, t.sentence,
       normalised_text(coalesce(t.text, w.joined, ''), $lowercase, $punctuation, $unicode_form) AS line
FROM reference_sentences AS t
LEFT JOIN (SELECT v.reference, v.reference_sentence, string_agg(v.form, ' ' ORDER BY v.word) AS joined
           FROM loaded_words AS v
           JOIN reference_sentences AS u
               ON u.reference = v.reference AND u.reference_sentence = v.reference_sentence AND u.text IS NULL
           GROUP BY v.reference, v.reference_sentence) AS w
    ON w.reference = t.reference AND w.reference_sentence = t.reference_sentence
