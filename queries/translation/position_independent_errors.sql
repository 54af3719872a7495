-- position_independent_errors: differences between the words of translations and those of the nearest reference,
--   regardless of order; one row per sentence.
-- kind: metric
-- engine: kernel: shared_word_n_grams counts words
-- parameter hypothesis_corpus TEXT: corpus of the hypotheses
-- parameter reference_corpus TEXT: corpus of the references, or of the first of several
-- parameter other_corpora TEXT = : further reference corpora, their names separated by commas
-- parameter lowercase TEXT(no|yes) = no: yes: compare texts in lower case
-- parameter punctuation TEXT(keep|remove) = keep: remove: compare texts without characters of the category P of Unicode
-- parameter unicode_form TEXT(given|nfc) = given: nfc: compare texts with composed characters
-- parameter empty_references TEXT(count|missing) = count: missing: of several references of a sentence, those without words are
--   none, as in corpora with different numbers of references
-- audit translation_correspondence
-- column sentence INTEGER: its sentence
-- column reference VARCHAR: the corpus of the reference with fewest errors, if several tie, the first given
-- count lacking_words BIGINT: missing words: occurrences in the reference beyond those in the hypothesis
-- count surplus_words BIGINT: extra words: occurrences in the hypothesis beyond those in the reference
-- count word_set_errors BIGINT: the larger of the two (PMED)
-- column hypothesis_words BIGINT: words of the hypothesis
-- column reference_words BIGINT: words of the reference
-- score per percent lower = sum(word_set_errors) / nullif(sum(reference_words), 0): position-independent error rate,
--   errors per word of the reference
-- score per_hypothesis percent lower = sum(word_set_errors) / nullif(sum(hypothesis_words), 0): errors per word of the
--   hypothesis
-- source: Tillmann et al. 1997, Accelerated DP based search for statistical translation (PER); Bernreuther 2005, Lattice evaluation techniques, equation
--   2.13 (PMED)
SELECT b.sentence, b.reference, b.lacking_words, b.surplus_words, b.word_set_errors, b.hypothesis_words, b.reference_words
FROM (SELECT p.sentence, p.reference, p.lacking_words, p.surplus_words, p.hypothesis_words, p.reference_words,
             CASE WHEN p.lacking_words > p.surplus_words THEN p.lacking_words ELSE p.surplus_words END
                 AS word_set_errors,
             row_number() OVER (PARTITION BY p.sentence
                                ORDER BY CASE WHEN p.lacking_words > p.surplus_words THEN p.lacking_words
                                              ELSE p.surplus_words END, p.reference_rank, p.reference) AS nearness
      FROM (SELECT c.sentence, c.reference, c.reference_rank, c.counts[2] - c.counts[3] AS lacking_words,
                   c.counts[1] - c.counts[3] AS surplus_words, c.counts[1] AS hypothesis_words, c.counts[2] AS reference_words
            FROM (SELECT h.sentence, r.reference, r.reference_rank,
                         shared_word_n_grams(h.words_text, [r.words_text], CAST(1 AS INTEGER)) AS counts
                  FROM word_texts(reference_corpus := $hypothesis_corpus, other_corpora := '') AS h
                  JOIN word_texts(numbered_as := $hypothesis_corpus) AS r ON r.sentence = h.sentence) AS c) AS p) AS b
WHERE b.nearness = 1
