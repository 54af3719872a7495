-- reference_tokens: the words of one or several references, after normalisation and tokenisation; one row per word.
-- kind: relation
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as position_independent_errors (reference_corpus, other_corpora, empty_references, lowercase, punctuation, unicode_form)
-- parameters: as reference_sentences (numbered_as)
-- parameter tokenize TEXT(words|none|13a|intl|zh|char) = words: words: those of the corpus; none: these, separated also at
--   the white space of Unicode; others: those of a tokenisation of the text
-- column reference VARCHAR: the corpus of the reference
-- column reference_rank INTEGER: 0 for the first reference, greater for later ones
-- column sentence INTEGER: the sentence that its sentence corresponds to
-- column word INTEGER: its position
-- column part INTEGER: number of the piece, where white space of Unicode separates a word into several, else 1
-- column form VARCHAR: the word
-- source: Papineni et al. 2002, BLEU: a method for automatic evaluation of machine translation (several references); Post
--   2018, A call for clarity in reporting BLEU scores (tokenisation)
SELECT t.reference, r.reference_rank, r.sentence, t.word, t.part, t.form
FROM (SELECT v.reference, v.reference_sentence, v.word, CAST(1 AS INTEGER) AS part,
             normalised_text(v.form, $lowercase, $punctuation, $unicode_form) AS form
      FROM loaded_words AS v
      WHERE $tokenize = 'words' OR ($tokenize = 'none' AND NOT regexp_matches(v.form, '[' || character_class('wide space') || ']'))
      UNION ALL
      SELECT p.reference, p.reference_sentence, p.word, CAST(unnest(range(1, len(p.pieces) + 1)) AS INTEGER) AS part, unnest(p.pieces) AS form
      FROM (SELECT x.reference, x.reference_sentence, x.word,
                   split_text(normalised_text(x.form, $lowercase, $punctuation, $unicode_form)) AS pieces
            FROM loaded_words AS x
            WHERE $tokenize = 'none' AND regexp_matches(x.form, '[' || character_class('wide space') || ']')) AS p) AS t
JOIN reference_sentences AS r ON r.reference = t.reference AND r.reference_sentence = t.reference_sentence
WHERE t.form <> ''
UNION ALL
SELECT l.reference, l.reference_rank, l.sentence, CAST(unnest(range(1, len(l.tokens) + 1)) AS INTEGER) AS word, CAST(1 AS INTEGER) AS part,
       unnest(l.tokens) AS form
FROM (SELECT o.reference, o.reference_rank, o.sentence, tokens_of(o.line, $tokenize) AS tokens
      FROM reference_lines AS o
      WHERE $tokenize NOT IN ('words', 'none')) AS l
