-- tree_pair_correspondence: different numbers of sentences of two corpora, and sentences without a dependency tree; one
--   row per fault.
-- kind: audit
-- parameters: as path_disparities (reference_corpus, hypothesis_corpus)
-- columns: as tree_correspondence
-- source: McCaffery 2017, PhD thesis, University of St Andrews, chapter 5
SELECT r.file, r.line,
       'sentence ' || coalesce(r.sent_id, CAST(r.sentence + 1 AS VARCHAR)) || ' has no counterpart in '
           || $hypothesis_corpus AS problem,
       'sentences correspond by their order; give both sides the same number of them' AS hint
FROM sentences AS r
WHERE r.corpus = $reference_corpus
  AND NOT EXISTS (SELECT 1 FROM sentences AS h WHERE h.corpus = $hypothesis_corpus AND h.sentence = r.sentence)
UNION ALL
SELECT h.file, h.line,
       'sentence ' || coalesce(h.sent_id, CAST(h.sentence + 1 AS VARCHAR)) || ' has no counterpart in '
           || $reference_corpus AS problem,
       'sentences correspond by their order; give both sides the same number of them' AS hint
FROM sentences AS h
WHERE h.corpus = $hypothesis_corpus
  AND NOT EXISTS (SELECT 1 FROM sentences AS r WHERE r.corpus = $reference_corpus AND r.sentence = h.sentence)
UNION ALL
SELECT s.file, s.line,
       CASE WHEN b.unparsed_words > 0 THEN 'sentence ' || coalesce(s.sent_id, CAST(s.sentence + 1 AS VARCHAR)) || ' is not parsed'
            ELSE 'the heads of sentence ' || coalesce(s.sent_id, CAST(s.sentence + 1 AS VARCHAR)) || ' form a cycle'
       END AS problem,
       'paths need a tree for every sentence; parse it, or take it out on both sides' AS hint
FROM (SELECT w.corpus, w.sentence, sum(CASE WHEN w.head IS NULL THEN 1 ELSE 0 END) AS unparsed_words
      FROM words AS w
      WHERE (w.corpus = $reference_corpus OR w.corpus = $hypothesis_corpus) AND w.depth IS NULL
      GROUP BY w.corpus, w.sentence) AS b
JOIN sentences AS s ON s.corpus = b.corpus AND s.sentence = b.sentence
WHERE s.corpus = $reference_corpus OR s.corpus = $hypothesis_corpus
