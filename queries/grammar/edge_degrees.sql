-- edge_degrees: by how many parts of other trees the edges of dependency trees are interrupted; one row per edge that is
--   not projective.
-- kind: relation
-- parameters: as treebank_forms (corpus_name)
-- column corpus VARCHAR: the corpus
-- column sentence INTEGER: the sentence
-- column word INTEGER: the dependent
-- column degree BIGINT: number of connected parts between the word and its head whose topmost word the head does not
--   dominate
-- source: Nivre 2006, Constraints on non-projective dependency parsing; Kuhlmann & Nivre 2006, Mildly non-projective
--   dependency structures, definition 8
SELECT w.corpus, w.sentence, w.word, CAST(count(*) AS BIGINT) AS degree
FROM words AS w
JOIN words AS h ON h.corpus = w.corpus AND h.sentence = w.sentence AND h.word = w.head
JOIN words AS u
  ON u.corpus = w.corpus AND u.sentence = w.sentence
 AND u.word > least(w.word, w.head) AND u.word < greatest(w.word, w.head)
 AND (u.head <= least(w.word, w.head) OR u.head >= greatest(w.word, w.head))
 AND (u.enter < h.enter OR u.enter > h.leave)
WHERE NOT w.projective AND ($corpus_name = '' OR w.corpus = $corpus_name)
GROUP BY w.corpus, w.sentence, w.word
