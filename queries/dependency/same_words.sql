-- same_words: whether the words of a system are the gold words, sentence by sentence; one row.
-- kind: relation
-- engine: duckdb: hashes, so that one pass over the words says it; of hashes, as those of several values are sums of
--   theirs, in which the same change of two words would cancel out
-- parameters: as attachment (gold_corpus, system_corpus)
-- column has_gold_words BIGINT: 1 if both have the same forms in the same sentences, 0 otherwise
-- source: Buchholz & Marsi 2006, CoNLL-X shared task on multilingual dependency parsing
SELECT CAST(CASE WHEN g.n_words = s.n_words AND coalesce(g.digest, 0) = coalesce(s.digest, 0) THEN 1 ELSE 0 END AS BIGINT)
           AS has_gold_words
FROM (SELECT count(*) AS n_words, bit_xor(hash(hash(w.sentence, w.word, w.form))) AS digest
      FROM words AS w
      WHERE w.corpus = $gold_corpus) AS g
CROSS JOIN (SELECT count(*) AS n_words, bit_xor(hash(hash(w.sentence, w.word, w.form))) AS digest
            FROM words AS w
            WHERE w.corpus = $system_corpus) AS s
