-- sentence_pairs: corresponding sentences of two corpora; one row per pair.
-- kind: relation
-- crosses_sentences unless match = order: sentences with one sent_id stand anywhere
-- parameters: as attachment (gold_corpus, system_corpus, match)
-- column gold_sentence INTEGER: the gold corpus's sentence
-- column system_sentence INTEGER: the system's sentence
-- source: Buchholz & Marsi 2006, CoNLL-X shared task (order); de Marneffe et al. 2021, Universal Dependencies: `#
--   sent_id` (sent_id)
SELECT g.sentence AS gold_sentence, s.sentence AS system_sentence
FROM sentences AS g
JOIN sentences AS s ON s.sentence = g.sentence
WHERE g.corpus = $gold_corpus AND s.corpus = $system_corpus AND $match = 'order'
UNION ALL
SELECT g.sentence AS gold_sentence, s.sentence AS system_sentence
FROM sentences AS g
JOIN sentences AS s ON s.sent_id = g.sent_id
WHERE g.corpus = $gold_corpus AND s.corpus = $system_corpus AND $match = 'sent_id'
