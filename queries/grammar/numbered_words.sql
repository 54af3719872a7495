-- numbered_words: the words of dependency trees without a cycle, and how many of them are kept; one row per word.
-- kind: relation
-- parameters: as dependency_arcs (corpus_name, punctuation)
-- column corpus VARCHAR: the corpus
-- column sentence INTEGER: the sentence
-- column word INTEGER: position in the sentence
-- column relation VARCHAR: universal relation
-- column head INTEGER: position of the head, 0 for a root
-- column depth INTEGER: 1 for a root, otherwise one more than its head's
-- column enter INTEGER: 1-based preorder number
-- column leave INTEGER: the largest preorder number below the word
-- column kept INTEGER: 1 if the word is kept, 0 if it is punctuation that is dropped
-- column place BIGINT: number of kept words up to here, in the order of the sentence
-- column kept_before BIGINT: number of kept words up to here, in preorder
-- column n_words BIGINT: number of kept words of the sentence
-- source: Gildea & Temperley 2010, Do grammars minimize dependency length?
SELECT w.corpus, w.sentence, w.word, w.relation, w.head, w.depth, w.enter, w.leave, w.kept,
       CAST(sum(w.kept) OVER (PARTITION BY w.corpus, w.sentence ORDER BY w.word) AS BIGINT) AS place,
       CAST(sum(w.kept) OVER (PARTITION BY w.corpus, w.sentence ORDER BY w.enter) AS BIGINT) AS kept_before,
       CAST(sum(w.kept) OVER (PARTITION BY w.corpus, w.sentence) AS BIGINT) AS n_words
FROM (SELECT v.corpus, v.sentence, v.word, v.udeprel AS relation, v.head, v.depth, v.enter, v.leave,
             CASE WHEN $punctuation = 'drop' AND (v.upos = 'PUNCT' OR v.udeprel = 'punct') THEN 0 ELSE 1 END AS kept
      FROM words AS v
      WHERE v.head IS NOT NULL AND v.depth IS NOT NULL AND ($corpus_name = '' OR v.corpus = $corpus_name)) AS w
