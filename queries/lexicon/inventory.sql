-- inventory: numbers of sentences, words, types and tags of every corpus; one row per corpus.
-- kind: statistic
-- column corpus VARCHAR: the corpus
-- column sentences BIGINT: number of sentences
-- column words BIGINT: number of words
-- column types BIGINT: number of distinct forms, as written
-- column lemmas BIGINT: number of distinct lemmas
-- column upos_tags BIGINT: number of distinct universal parts of speech
-- column universal_relations BIGINT: number of distinct universal relations
-- column full_relations BIGINT: number of distinct relations with their subtypes
-- column words_per_sentence DOUBLE: mean length of a sentence in words
-- source: de Marneffe et al. 2021, Universal Dependencies: treebank statistics
SELECT w.corpus, CAST(count(DISTINCT w.sentence) AS BIGINT) AS sentences, CAST(count(*) AS BIGINT) AS words,
       CAST(count(DISTINCT w.form) AS BIGINT) AS types, CAST(count(DISTINCT w.lemma) AS BIGINT) AS lemmas,
       CAST(count(DISTINCT w.upos) AS BIGINT) AS upos_tags, CAST(count(DISTINCT w.udeprel) AS BIGINT) AS universal_relations,
       CAST(count(DISTINCT w.deprel) AS BIGINT) AS full_relations,
       CAST(count(*) AS DOUBLE) / count(DISTINCT w.sentence) AS words_per_sentence
FROM words AS w
GROUP BY w.corpus
ORDER BY w.corpus
