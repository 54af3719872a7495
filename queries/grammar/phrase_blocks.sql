-- phrase_blocks: the parts of phrases with gaps, each of words without a gap between them; one row per part.
-- kind: relation
-- parameters: as treebank_forms (corpus_name)
-- column corpus VARCHAR: the corpus
-- column sentence INTEGER: the sentence
-- column node INTEGER: node of the phrase
-- column leave INTEGER: the largest number that a phrase below it may have
-- column label VARCHAR: its label, without functions
-- column block BIGINT: 1, 2, ... from the left
-- column first INTEGER: position of the first word of the part
-- column last INTEGER: position of its last word
-- source: Maier & Lichte 2011, Characterizing discontinuity in constituent treebanks
SELECT b.corpus, b.sentence, b.node, b.leave, b.label,
       row_number() OVER (PARTITION BY b.corpus, b.sentence, b.node ORDER BY b.first) AS block, b.first, b.last
FROM (SELECT w.corpus, w.sentence, w.node, w.leave, w.label, min(w.word) AS first, max(w.word) AS last
      FROM (SELECT n.corpus, n.sentence, n.node, n.leave, n.label, o.word,
                   o.word - row_number() OVER (PARTITION BY n.corpus, n.sentence, n.node ORDER BY o.word) AS part
            FROM (SELECT d.corpus, d.sentence, d.node, d.label, coalesce(min(e.node) - 1, 2147483647) AS leave
                  FROM constituents AS d
                  LEFT JOIN constituents AS e
                    ON e.corpus = d.corpus AND e.sentence = d.sentence AND e.node > d.node AND e.depth <= d.depth
                   AND ($corpus_name = '' OR e.corpus = $corpus_name)
                  WHERE NOT d.continuous AND ($corpus_name = '' OR d.corpus = $corpus_name)
                  GROUP BY d.corpus, d.sentence, d.node, d.label) AS n
            JOIN words AS o
              ON o.corpus = n.corpus AND o.sentence = n.sentence AND o.phrase >= n.node AND o.phrase <= n.leave
             AND ($corpus_name = '' OR o.corpus = $corpus_name)) AS w
      GROUP BY w.corpus, w.sentence, w.node, w.leave, w.label, w.part) AS b
