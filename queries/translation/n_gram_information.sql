-- n_gram_information: the information of n-grams of translations that occur in a reference, the counts of NIST; one row per
--   sentence.
-- kind: metric
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as position_independent_errors
-- parameters: as n_gram_matches (tokenize)
-- audit translation_correspondence
-- column sentence INTEGER: its sentence
-- column information_1 DOUBLE: information of the 1-grams that also occur in a reference, clipped by the largest count in a
--   reference
-- column tried_1 BIGINT: 1-grams of the hypothesis
-- column information_2 DOUBLE: information of the 2-grams that also occur in a reference, clipped by the largest count in a
--   reference
-- column tried_2 BIGINT: 2-grams of the hypothesis
-- column information_3 DOUBLE: information of the 3-grams that also occur in a reference, clipped by the largest count in a
--   reference
-- column tried_3 BIGINT: 3-grams of the hypothesis
-- column information_4 DOUBLE: information of the 4-grams that also occur in a reference, clipped by the largest count in a
--   reference
-- column tried_4 BIGINT: 4-grams of the hypothesis
-- column information_5 DOUBLE: information of the 5-grams that also occur in a reference, clipped by the largest count in a
--   reference
-- column tried_5 BIGINT: 5-grams of the hypothesis
-- column mean_words DOUBLE: words of the references, on average
-- term length_ratio = CAST(sum(tried_1) AS DOUBLE) / nullif(sum(mean_words), 0)
-- term penalty = CASE WHEN sum(tried_1) = 0 THEN CAST(0 AS DOUBLE) WHEN sum(tried_1) >= sum(mean_words) THEN CAST(1 AS DOUBLE)
--   ELSE exp(ln(CAST(0.5 AS DOUBLE)) * (ln({length_ratio}) / ln(CAST(1.5 AS DOUBLE))) * (ln({length_ratio}) / ln(CAST(1.5 AS DOUBLE)))) END
-- score nist number higher = {penalty} * (coalesce(sum(information_1) / nullif(sum(tried_1), 0), 0) + coalesce(sum(information_2) / nullif(sum(tried_2), 0), 0) + coalesce(sum(information_3) / nullif(sum(tried_3), 0), 0) + coalesce(sum(information_4) / nullif(sum(tried_4), 0), 0) + coalesce(sum(information_5) / nullif(sum(tried_5), 0), 0)): NIST, the information of
--   matching n-grams of 1 to 5 words per n-gram, times a penalty for short translations
-- source: Doddington 2002, Automatic evaluation of machine translation quality using n-gram co-occurrence statistics (as in
--   mteval-v13a)
SELECT l.sentence, coalesce(g.information_1, 0) AS information_1, coalesce(g.tried_1, 0) AS tried_1, coalesce(g.information_2, 0) AS information_2, coalesce(g.tried_2, 0) AS tried_2, coalesce(g.information_3, 0) AS information_3, coalesce(g.tried_3, 0) AS tried_3, coalesce(g.information_4, 0) AS information_4, coalesce(g.tried_4, 0) AS tried_4, coalesce(g.information_5, 0) AS information_5, coalesce(g.tried_5, 0) AS tried_5,
       l.mean_words
FROM (SELECT r.sentence, CAST(sum(r.n_words) AS DOUBLE) / count(*) AS mean_words
      FROM reference_lengths(numbered_as := $hypothesis_corpus) AS r
      GROUP BY r.sentence) AS l
LEFT JOIN (SELECT m.sentence,
                  CAST(sum(CASE WHEN m.n_gram_order = 1 THEN m.information ELSE 0 END) AS DOUBLE) / 1099511627776.0 AS information_1,
                  CAST(sum(CASE WHEN m.n_gram_order = 1 THEN m.n_grams ELSE 0 END) AS BIGINT) AS tried_1,
                  CAST(sum(CASE WHEN m.n_gram_order = 2 THEN m.information ELSE 0 END) AS DOUBLE) / 1099511627776.0 AS information_2,
                  CAST(sum(CASE WHEN m.n_gram_order = 2 THEN m.n_grams ELSE 0 END) AS BIGINT) AS tried_2,
                  CAST(sum(CASE WHEN m.n_gram_order = 3 THEN m.information ELSE 0 END) AS DOUBLE) / 1099511627776.0 AS information_3,
                  CAST(sum(CASE WHEN m.n_gram_order = 3 THEN m.n_grams ELSE 0 END) AS BIGINT) AS tried_3,
                  CAST(sum(CASE WHEN m.n_gram_order = 4 THEN m.information ELSE 0 END) AS DOUBLE) / 1099511627776.0 AS information_4,
                  CAST(sum(CASE WHEN m.n_gram_order = 4 THEN m.n_grams ELSE 0 END) AS BIGINT) AS tried_4,
                  CAST(sum(CASE WHEN m.n_gram_order = 5 THEN m.information ELSE 0 END) AS DOUBLE) / 1099511627776.0 AS information_5,
                  CAST(sum(CASE WHEN m.n_gram_order = 5 THEN m.n_grams ELSE 0 END) AS BIGINT) AS tried_5
           FROM (SELECT h.sentence, h.n_gram_order, h.occurrences AS n_grams,
                        CASE WHEN r.occurrences IS NULL THEN CAST(0 AS HUGEINT)
                             ELSE CASE WHEN r.occurrences < h.occurrences THEN r.occurrences ELSE h.occurrences END
                                  * CAST(round(i.information * 1099511627776.0) AS HUGEINT) END AS information
                 FROM text_n_grams(reference_corpus := $hypothesis_corpus, other_corpora := '', longest := 5) AS h
                 LEFT JOIN (SELECT t.sentence, t.n_gram_order, t.n_gram, max(t.occurrences) AS occurrences
                            FROM text_n_grams(numbered_as := $hypothesis_corpus, longest := 5) AS t
                            GROUP BY t.sentence, t.n_gram_order, t.n_gram) AS r
                     ON r.sentence = h.sentence AND r.n_gram_order = h.n_gram_order AND r.n_gram = h.n_gram
                 LEFT JOIN n_gram_weights(numbered_as := $hypothesis_corpus) AS i
                     ON i.n_gram_order = h.n_gram_order AND i.n_gram = h.n_gram) AS m
           GROUP BY m.sentence) AS g ON g.sentence = l.sentence
