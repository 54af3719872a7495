-- interleaved_phrases: pairs of phrases without a word in common that interleave: a word of one is in a gap of the
--   other, and another is behind that gap; one row per gap and part in it.
-- kind: relation
-- parameters: as treebank_forms (corpus_name)
-- column corpus VARCHAR: the corpus
-- column sentence INTEGER: the sentence
-- column node INTEGER: node of the phrase with the gap
-- column other INTEGER: node of the phrase in it
-- source: Bodirsky, Kuhlmann & Möhl 2005, Well-nested drawings as models of syntactic structure
SELECT g.corpus, g.sentence, g.node, o.node AS other
FROM phrase_blocks AS g
JOIN phrase_blocks AS h ON h.corpus = g.corpus AND h.sentence = g.sentence AND h.node = g.node AND h.block = g.block + 1
JOIN phrase_blocks AS o
  ON o.corpus = g.corpus AND o.sentence = g.sentence AND o.first > g.last AND o.last < h.first
 AND (o.node > g.leave OR o.leave < g.node)
JOIN (SELECT e.corpus, e.sentence, e.node, max(e.last) AS last
      FROM phrase_blocks AS e
      GROUP BY e.corpus, e.sentence, e.node) AS z
  ON z.corpus = o.corpus AND z.sentence = o.sentence AND z.node = o.node AND z.last > h.first
