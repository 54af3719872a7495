-- edits_with_shifts: edits that turn translations into a reference, of which an edit may shift several words; one row per
--   sentence.
-- kind: metric
-- engine: kernel: translation_edits looks for shifts
-- parameters: as position_independent_errors (hypothesis_corpus, reference_corpus, other_corpora, empty_references, punctuation, unicode_form)
-- parameter case_sensitive TEXT(no|yes) = no: TER: yes: capitals differ from small letters
-- parameter normalized TEXT(no|yes) = no: TER: yes: separate punctuation from words, as Tercom does
-- parameter no_punct TEXT(no|yes) = no: TER: yes: leave out punctuation: .,?:;!"()
-- parameter asian_support TEXT(no|yes) = no: TER: yes: normalized and no_punct also apply to Asian characters
-- audit translation_correspondence
-- column sentence INTEGER: its sentence
-- column reference VARCHAR: the corpus of the reference with fewest edits, if several tie, the first given
-- count shifted_edits BIGINT: edits: words inserted, deleted and replaced, and runs of words shifted
-- count mean_reference_words DOUBLE: words of the references, on average
-- score ter percent lower = CASE WHEN sum(mean_reference_words) > 0 THEN sum(shifted_edits) / sum(mean_reference_words)
--   WHEN sum(shifted_edits) > 0 THEN CAST(1 AS DOUBLE) WHEN sum(shifted_edits) = 0 THEN CAST(0 AS DOUBLE) END: translation edit
--   rate, edits per word of the references
-- source: Snover et al. 2006, A study of translation edit rate with targeted human annotation (as in sacrebleu 2.6)
SELECT b.sentence, b.reference, b.shifted_edits, b.mean_reference_words
FROM (SELECT e.sentence, e.reference, e.shifted_edits,
             CAST(sum(e.n_words) OVER (PARTITION BY e.sentence) AS DOUBLE) / count(*) OVER (PARTITION BY e.sentence)
                 AS mean_reference_words,
             row_number() OVER (PARTITION BY e.sentence
                                ORDER BY e.shifted_edits, e.reference_rank, e.reference) AS nearness
      FROM (SELECT h.sentence, r.reference, r.reference_rank, len(r.tokens) AS n_words,
                   translation_edits(h.tokens, r.tokens) AS shifted_edits
            FROM tercom_lines(reference_corpus := $hypothesis_corpus, other_corpora := '') AS h
            JOIN tercom_lines(numbered_as := $hypothesis_corpus) AS r ON r.sentence = h.sentence) AS e) AS b
WHERE b.nearness = 1
