-- phrase_blocks: the parts of phrases, or dependency subtrees, with gaps, each of words without a gap between them; one row
--   per part.
-- kind: relation
-- parameters: as treebank_forms (corpus_name)
-- column corpus VARCHAR: the corpus
-- column sentence INTEGER: the sentence
-- column node INTEGER: node of the phrase, or preorder number of the word above the subtree
-- column leave INTEGER: the largest number that a phrase, or word, below it may have
-- column label VARCHAR: its label, without functions, or universal relation
-- column block BIGINT: 1, 2, ... from the left
-- column first INTEGER: position of the first word of the part
-- column last INTEGER: position of its last word
-- source: Maier & Lichte 2011, Characterizing discontinuity in constituent treebanks
SELECT b.corpus, b.sentence, b.node, b.leave, b.label,
       row_number() OVER (PARTITION BY b.corpus, b.sentence, b.node ORDER BY b.first) AS block, b.first, b.last
FROM (SELECT w.corpus, w.sentence, w.node, w.leave, w.label, min(w.word) AS first, max(w.word) AS last
      FROM (SELECT n.corpus, n.sentence, n.node, n.leave, n.label, n.word,
                   n.word - row_number() OVER (PARTITION BY n.corpus, n.sentence, n.node ORDER BY n.word) AS part
            FROM phrase_words AS n) AS w
      GROUP BY w.corpus, w.sentence, w.node, w.leave, w.label, w.part) AS b
