-- version_sentences: corresponding sentences of two versions of a corpus; one row per pair. Sentences correspond by their
--   sent_id; those that are left, by the characters of their words, the first of equal ones with the first; those
--   that are left then, in order, where both versions have as many between the same pairs; not where both have a sent_id.
-- kind: relation
-- engine: duckdb: version_texts
-- parameter old_corpus TEXT: corpus of the old version, or of the first annotator
-- parameter new_corpus TEXT: corpus of the new version, or of the second annotator
-- parameter match TEXT(sent_id|text) = sent_id: how sentences correspond: by sent_id, and by text where that finds none;
--   or by text alone
-- column old_sentence INTEGER: sentence of the old version
-- column new_sentence INTEGER: sentence of the new version
-- column paired_by VARCHAR: sent_id, text or order
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format (`# sent_id` is unique in a treebank)
SELECT p.old_sentence, p.new_sentence, p.paired_by
FROM version_named_sentences AS p
UNION ALL
SELECT o.sentence AS old_sentence, n.sentence AS new_sentence, 'order' AS paired_by
FROM (SELECT u.sentence, u.sent_id, u.before, row_number() OVER (PARTITION BY u.before ORDER BY u.sentence) AS place,
             count(*) OVER (PARTITION BY u.before) AS places
      FROM (SELECT s.sentence, s.sent_id, p.new_sentence,
                   coalesce(last_value(p.new_sentence IGNORE NULLS)
                                OVER (ORDER BY s.sentence ROWS UNBOUNDED PRECEDING), -1) AS before
            FROM sentences AS s
            LEFT JOIN version_named_sentences AS p ON p.old_sentence = s.sentence
            WHERE s.corpus = $old_corpus) AS u
      WHERE u.new_sentence IS NULL) AS o
JOIN (SELECT u.sentence, u.sent_id, u.before, row_number() OVER (PARTITION BY u.before ORDER BY u.sentence) AS place,
             count(*) OVER (PARTITION BY u.before) AS places
      FROM (SELECT s.sentence, s.sent_id, p.old_sentence,
                   coalesce(last_value(p.new_sentence IGNORE NULLS)
                                OVER (ORDER BY s.sentence ROWS UNBOUNDED PRECEDING), -1) AS before
            FROM sentences AS s
            LEFT JOIN version_named_sentences AS p ON p.new_sentence = s.sentence
            WHERE s.corpus = $new_corpus) AS u
      WHERE u.old_sentence IS NULL) AS n
    ON n.before = o.before AND n.place = o.place AND n.places = o.places
WHERE o.sent_id IS NULL OR n.sent_id IS NULL OR $match = 'text'
