-- word_texts: the words of every reference of a sentence as a text with blanks between, after normalisation; one row per
--   sentence and reference.
-- kind: relation
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as position_independent_errors (reference_corpus, other_corpora, empty_references, lowercase, punctuation, unicode_form)
-- parameters: as reference_sentences (numbered_as)
-- parameter tokenize TEXT(words|none) = words: words: those of the corpus; none: these, separated also at the white space of
--   Unicode
-- without_lines loaded_words
-- column reference VARCHAR: the corpus of the reference
-- column reference_rank INTEGER: 0 for the first reference, greater for later ones
-- column sentence INTEGER: the sentence that it corresponds to
-- column words_text VARCHAR: its words, between blanks and tabs; blanks within a word are U+001F
-- source: Post 2018, A call for clarity in reporting BLEU scores (tokenisation)
SELECT l.reference, l.reference_rank, l.sentence,
       CASE WHEN $tokenize = 'words' THEN l.line
            WHEN regexp_matches(l.line, '[' || character_class('wide space') || ']')
            THEN regexp_replace(l.line, '[' || character_class('wide space') || ']', ' ', 'g')
            ELSE l.line END AS words_text
FROM reference_lines AS l
LEFT JOIN corpora_of_words AS d ON d.corpus = l.reference
WHERE d.corpus IS NULL  -- lines of texts have their words
UNION ALL
SELECT s.reference, s.reference_rank, s.sentence, coalesce(w.words_text, '') AS words_text
FROM reference_sentences AS s
JOIN corpora_of_words AS c ON c.corpus = s.reference
LEFT JOIN (SELECT t.reference, t.reference_sentence,
                  string_agg(CASE WHEN $tokenize = 'none' AND regexp_matches(t.form, '[' || character_class('wide space') || ']')
                                  THEN regexp_replace(t.form, '[' || character_class('wide space') || ']', ' ', 'g')
                                  ELSE translate(t.form, ' ' || chr(9), chr(31) || chr(31)) END, ' ' ORDER BY t.word) AS words_text
           FROM (SELECT v.reference, v.reference_sentence, v.word,
                        normalised_text(v.form, $lowercase, $punctuation, $unicode_form) AS form
                 FROM loaded_words AS v
                 JOIN corpora_of_words AS o ON o.corpus = v.reference) AS t
           GROUP BY t.reference, t.reference_sentence) AS w
    ON w.reference = s.reference AND w.reference_sentence = s.reference_sentence
