-- phrase_pairs: pairs of phrases that are consistent with a word alignment, with their numbers; one row per pair of
--   phrases.
-- kind: statistic
-- engine: kernel: consistent_pairs finds them
-- parameter alignment_corpus TEXT: the alignment
-- parameter source_words_corpus TEXT: corpus of the source words
-- parameter target_words_corpus TEXT: corpus of the target words
-- parameter longest_phrase INTEGER(1..) = 7: maximum number of words of a phrase
-- column source_phrase VARCHAR: words of the source, with blanks between
-- column target_phrase VARCHAR: words of the target
-- column occurrences BIGINT: how often the two are a pair
-- column source_occurrences BIGINT: pairs that the source phrase is in
-- column target_occurrences BIGINT: pairs that the target phrase is in
-- column target_share DOUBLE: share of the pairs of the source phrase that have this target phrase
-- source: Koehn, Och & Marcu 2003, Statistical phrase-based translation
SELECT c.source_phrase, c.target_phrase, c.occurrences,
       CAST(sum(c.occurrences) OVER (PARTITION BY c.source_phrase) AS BIGINT) AS source_occurrences,
       CAST(sum(c.occurrences) OVER (PARTITION BY c.target_phrase) AS BIGINT) AS target_occurrences,
       CAST(c.occurrences AS DOUBLE) / sum(c.occurrences) OVER (PARTITION BY c.source_phrase) AS target_share
FROM (SELECT array_to_string(list_slice(p.source_forms, p.pair.source_start, p.pair.source_end), ' ') AS source_phrase,
             array_to_string(list_slice(p.target_forms, p.pair.target_start, p.pair.target_end), ' ') AS target_phrase,
             count(*) AS occurrences
      FROM (SELECT s.source_forms, t.target_forms,
                   unnest(consistent_pairs(l.source_list, l.target_list, CAST(len(s.source_forms) AS INTEGER), CAST(len(t.target_forms) AS INTEGER),
                                           CAST($longest_phrase AS INTEGER))) AS pair
            FROM link_lists AS l
            JOIN (SELECT w.sentence, list(w.form ORDER BY w.word) AS source_forms
                  FROM words AS w
                  WHERE w.corpus = $source_words_corpus
                  GROUP BY w.sentence) AS s ON s.sentence = l.sentence
            JOIN (SELECT v.sentence, list(v.form ORDER BY v.word) AS target_forms
                  FROM words AS v
                  WHERE v.corpus = $target_words_corpus
                  GROUP BY v.sentence) AS t ON t.sentence = l.sentence
            WHERE l.corpus = $alignment_corpus) AS p
      GROUP BY 1, 2) AS c
ORDER BY c.occurrences DESC, c.source_phrase, c.target_phrase
