-- reference_lines: the text of every reference of a sentence, after normalisation; one row per sentence and reference.
-- kind: relation
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as position_independent_errors (reference_corpus, other_corpora, lowercase, punctuation, unicode_form)
-- parameters: as reference_sentences (numbered_as)
-- column reference VARCHAR: the corpus of the reference
-- column reference_rank INTEGER: 0 for the first reference, greater for later ones
-- column sentence INTEGER: the sentence that it corresponds to
-- column line VARCHAR: its text: the line of a file of texts, `# text` of a treebank, else its words with blanks between
-- source: Post 2018, A call for clarity in reporting BLEU scores (tokenisation of the text as given)
SELECT t.reference, t.reference_rank, t.sentence,
       normalised_text(coalesce(t.text, w.joined, ''), $lowercase, $punctuation, $unicode_form) AS line
FROM (SELECT r.reference, r.reference_rank, r.sentence, r.reference_sentence, s.text
      FROM reference_sentences AS r
      JOIN sentences AS s ON s.corpus = r.reference AND s.sentence = r.reference_sentence) AS t
LEFT JOIN (SELECT v.corpus, v.sentence, string_agg(v.form, ' ' ORDER BY v.word) AS joined
           FROM words AS v
           JOIN sentences AS u ON u.corpus = v.corpus AND u.sentence = v.sentence AND u.text IS NULL
           GROUP BY v.corpus, v.sentence) AS w ON w.corpus = t.reference AND w.sentence = t.reference_sentence
