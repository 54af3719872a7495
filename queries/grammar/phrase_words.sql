-- phrase_words: the words of phrases with gaps, and of dependency subtrees with gaps; one row per phrase, or word with
--   words below it, and word.
-- kind: relation
-- parameters: as treebank_forms (corpus_name)
-- column corpus VARCHAR: the corpus
-- column sentence INTEGER: the sentence
-- column node INTEGER: node of the phrase, or preorder number of the word
-- column leave INTEGER: the largest number that a phrase, or word, below it may have
-- column label VARCHAR: label of the phrase, without functions, or universal relation of the word
-- column word INTEGER: position of a word that it dominates, itself included
-- source: Maier & Lichte 2011, Characterizing discontinuity in constituent treebanks; Kuhlmann & Nivre 2006, Mildly
--   non-projective dependency structures
SELECT n.corpus, n.sentence, n.node, n.leave, n.label, o.word
FROM (SELECT d.corpus, d.sentence, d.node, d.label, coalesce(min(e.node) - 1, 2147483647) AS leave
      FROM constituents AS d
      LEFT JOIN constituents AS e
        ON e.corpus = d.corpus AND e.sentence = d.sentence AND e.node > d.node AND e.depth <= d.depth
       AND ($corpus_name = '' OR e.corpus = $corpus_name)
      WHERE NOT d.continuous AND ($corpus_name = '' OR d.corpus = $corpus_name)
      GROUP BY d.corpus, d.sentence, d.node, d.label) AS n
JOIN words AS o
  ON o.corpus = n.corpus AND o.sentence = n.sentence AND o.phrase >= n.node AND o.phrase <= n.leave
 AND ($corpus_name = '' OR o.corpus = $corpus_name)
UNION ALL
SELECT b.corpus, b.sentence, b.node, b.leave, b.label, b.word
FROM (SELECT h.corpus, h.sentence, h.enter AS node, h.leave, h.udeprel AS label, u.word,
             min(u.word) OVER (PARTITION BY h.corpus, h.sentence, h.enter) AS first,
             max(u.word) OVER (PARTITION BY h.corpus, h.sentence, h.enter) AS last
      FROM words AS h
      JOIN trees AS t ON t.corpus = h.corpus AND t.sentence = h.sentence AND NOT t.projective
      JOIN corpora AS k ON k.corpus = h.corpus AND k.kind = 'dependency'
      JOIN words AS u
        ON u.corpus = h.corpus AND u.sentence = h.sentence AND u.enter >= h.enter AND u.enter <= h.leave
       AND ($corpus_name = '' OR u.corpus = $corpus_name)
      WHERE h.leave > h.enter AND ($corpus_name = '' OR h.corpus = $corpus_name)) AS b
WHERE b.last - b.first > b.leave - b.node
