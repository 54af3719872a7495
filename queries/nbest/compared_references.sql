-- compared_references: the references of n-best lists as a measure compares them; one row per list and reference.
-- kind: relation
-- engine: duckdb: words are found by regular expressions
-- parameters: as compared_hypotheses (nbest_corpus)
-- parameters: as position_independent_errors (reference_corpus, other_corpora, empty_references)
-- parameters: as compared_hypotheses (lowercase, punctuation, unicode_form, tokenize, measure)
-- audit list_correspondence
-- column sentence INTEGER: its list
-- column reference_rank INTEGER: 0 for the first reference, greater for later ones
-- column reference VARCHAR: the corpus of the reference
-- column compared VARCHAR: its text as it is compared; blanks within a word are U+001F, which no hypothesis has
-- source: Papineni et al. 2002, BLEU: a method for automatic evaluation of machine translation (several references)
SELECT t.sentence, t.reference_rank, t.reference, compared_text(t.line, $measure, $tokenize) AS compared
FROM (SELECT r.sentence, r.reference_rank, r.reference,
             array_to_string(list_transform(r.text_forms, lambda x: translate(x, ' ' || chr(9), chr(31) || chr(31))), ' ') AS line
      FROM reference_texts(numbered_as := $nbest_corpus) AS r
      WHERE $measure IN ('wer', 'per') OR ($measure = 'bleu' AND $tokenize = 'none')
      UNION ALL
      SELECT l.sentence, l.reference_rank, l.reference, l.line
      FROM reference_lines(numbered_as := $nbest_corpus) AS l
      WHERE NOT ($measure IN ('wer', 'per') OR ($measure = 'bleu' AND $tokenize = 'none'))) AS t
