-- repeated_sent_ids: the ids that several sentences of one of two corpora have, where sentences correspond by them; one row
--   per corpus and id.
-- kind: relation
-- parameters: as attachment (gold_corpus, system_corpus, match)
-- column corpus VARCHAR: the corpus
-- column sent_id VARCHAR: the id
-- column repeats BIGINT: number of its sentences that have it
-- column file VARCHAR: the file of the first
-- column line BIGINT: the line of it
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format (`# sent_id` is unique in a treebank)
SELECT r.corpus, r.sent_id, r.repeats, d.file, d.line
FROM (SELECT x.corpus, x.sent_id, min(x.sentence) AS sentence, count(*) AS repeats
      FROM sentences AS x
      WHERE (x.corpus = $gold_corpus OR x.corpus = $system_corpus) AND $match = 'sent_id' AND x.sent_id IS NOT NULL
      GROUP BY x.corpus, x.sent_id) AS r
JOIN sentences AS d ON d.corpus = r.corpus AND d.sentence = r.sentence
WHERE r.repeats > 1 AND (d.corpus = $gold_corpus OR d.corpus = $system_corpus)
