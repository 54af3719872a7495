-- compared_hypotheses: the hypotheses of n-best lists as a measure compares them; one row per hypothesis.
-- kind: relation
-- engine: duckdb: words are found by regular expressions
-- parameter nbest_corpus TEXT: corpus of the n-best lists
-- parameters: as position_independent_errors (lowercase, punctuation, unicode_form)
-- parameters: as n_gram_matches (tokenize)
-- parameter measure TEXT(wer|per|ter|bleu|chrf) = wer: what is compared
-- parameter last_rank BIGINT(0..) = 0: how many of the first hypotheses of a list are read, 0: all
-- column sentence INTEGER: its list
-- column rank INTEGER: its place in the list
-- column text VARCHAR: the hypothesis
-- column compared VARCHAR: the same as it is compared, with blanks or tabs between words
-- source: Ueffing, Och & Ney 2002, Generation of word graphs in statistical machine translation (oracles of n-best lists)
SELECT n.sentence, n.rank, n.text, compared_text(n.normalised, $measure, $tokenize) AS compared
FROM (SELECT h.sentence, h.rank, h.text, normalised_text(h.text, $lowercase, $punctuation, $unicode_form) AS normalised
      FROM hypotheses AS h
      WHERE h.corpus = $nbest_corpus AND ($last_rank = 0 OR h.rank <= $last_rank)) AS n
