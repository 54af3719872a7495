-- kept_words: the words of dependency trees without a cycle, with or without punctuation; one row per word that is kept.
-- kind: relation
-- parameters: as dependency_arcs (corpus_name, punctuation)
-- column corpus VARCHAR: the corpus
-- column sentence INTEGER: the sentence
-- column word INTEGER: position in the sentence
-- column relation VARCHAR: universal relation
-- column place BIGINT: number of the word among those that are kept, from 1
-- column n_words BIGINT: number of those that are kept
-- column head_word INTEGER: the nearest word above it that is kept, NULL where there is none
-- column size BIGINT: number of the kept words that it dominates, with itself
-- column rank BIGINT: 1 for the word that dominates most, among the words with the same head
-- source: Gildea & Temperley 2010, Do grammars minimize dependency length?
SELECT k.corpus, k.sentence, k.word, k.relation, k.place, k.n_words, k.head_word, k.size,
       row_number() OVER (PARTITION BY k.corpus, k.sentence, k.head_word ORDER BY k.size DESC, k.word) AS rank
FROM (SELECT w.corpus, w.sentence, w.word, w.relation, w.place, w.n_words,
             CASE WHEN w.head = 0 THEN NULL WHEN h.kept = 1 THEN w.head ELSE u.word END AS head_word,
             l.kept_before - w.kept_before + 1 AS size
      FROM numbered_words AS w
      JOIN numbered_words AS l ON l.corpus = w.corpus AND l.sentence = w.sentence AND l.enter = w.leave
      LEFT JOIN numbered_words AS h ON h.corpus = w.corpus AND h.sentence = w.sentence AND h.word = w.head
      LEFT JOIN (SELECT d.corpus, d.sentence, d.word AS dependent, max(a.depth) AS depth
                 FROM numbered_words AS d
                 JOIN numbered_words AS p ON p.corpus = d.corpus AND p.sentence = d.sentence AND p.word = d.head
                 JOIN numbered_words AS a
                   ON a.corpus = d.corpus AND a.sentence = d.sentence AND d.enter > a.enter AND d.enter <= a.leave
                 WHERE d.kept = 1 AND p.kept = 0 AND a.kept = 1
                 GROUP BY d.corpus, d.sentence, d.word) AS n
        ON n.corpus = w.corpus AND n.sentence = w.sentence AND n.dependent = w.word
      LEFT JOIN numbered_words AS u
        ON u.corpus = n.corpus AND u.sentence = n.sentence AND u.depth = n.depth AND u.kept = 1
       AND w.enter > u.enter AND w.enter <= u.leave
      WHERE w.kept = 1) AS k
