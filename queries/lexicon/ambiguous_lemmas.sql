-- ambiguous_lemmas: lemmas with several parts of speech, those with most words beside their usual one first; one row per corpus,
--   lemma and part of speech.
-- kind: statistic
-- parameters: as treebank_forms (corpus_name)
-- column corpus VARCHAR: the corpus
-- column lemma VARCHAR: the lemma
-- column upos VARCHAR: one of its parts of speech
-- column words BIGINT: number of words with both
-- column lemma_words BIGINT: number of words with the lemma and any part of speech
-- column lemma_tags BIGINT: number of its parts of speech
-- source: Dickinson & Meurers 2003, Detecting errors in part-of-speech annotation (words with several tags)
SELECT r.corpus, r.lemma, r.upos, r.words, CAST(s.lemma_words AS BIGINT) AS lemma_words, CAST(s.tags AS BIGINT) AS lemma_tags
FROM (SELECT w.corpus, w.lemma, w.upos, CAST(count(*) AS BIGINT) AS words
      FROM words AS w
      WHERE ($corpus_name = '' OR w.corpus = $corpus_name) AND w.lemma IS NOT NULL AND w.upos IS NOT NULL
      GROUP BY w.corpus, w.lemma, w.upos) AS r
JOIN (SELECT n.corpus, n.lemma, sum(n.words) AS lemma_words, count(*) AS tags, sum(n.words) - max(n.words) AS others
      FROM (SELECT w.corpus, w.lemma, w.upos, CAST(count(*) AS BIGINT) AS words
            FROM words AS w
            WHERE ($corpus_name = '' OR w.corpus = $corpus_name) AND w.lemma IS NOT NULL AND w.upos IS NOT NULL
            GROUP BY w.corpus, w.lemma, w.upos) AS n
      GROUP BY n.corpus, n.lemma) AS s ON s.corpus = r.corpus AND s.lemma = r.lemma
WHERE s.tags > 1
ORDER BY r.corpus, s.others DESC, r.lemma, r.words DESC, r.upos
