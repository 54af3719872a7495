-- same_words: whether the words of a system are the gold words, sentence by sentence; one row.
-- kind: relation
-- engine: duckdb: a full join
-- parameters: as attachment (gold_corpus, system_corpus)
-- column has_gold_words BIGINT: 1 if both have the same forms in the same sentences, 0 otherwise
-- source: Buchholz & Marsi 2006, CoNLL-X shared task on multilingual dependency parsing
SELECT CAST(CASE WHEN count(*) = sum(CASE WHEN g.form = s.form THEN 1 ELSE 0 END) THEN 1 ELSE 0 END AS BIGINT)
           AS has_gold_words
FROM (SELECT w.sentence, w.word, w.form FROM words AS w WHERE w.corpus = $gold_corpus) AS g
FULL JOIN (SELECT w.sentence, w.word, w.form FROM words AS w WHERE w.corpus = $system_corpus) AS s
    ON s.sentence = g.sentence AND s.word = g.word
