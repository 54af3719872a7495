-- path_correspondence: different numbers of sentences of two corpora and an alignment, sentences without a dependency
--   tree, and links that lead outside their sentence; one row per fault.
-- kind: audit
-- parameters: as path_disparities
-- columns: as tree_correspondence
-- source: McCaffery 2017, PhD thesis, University of St Andrews, chapter 5
SELECT t.file, t.line, t.problem, t.hint
FROM tree_pair_correspondence AS t
UNION ALL
SELECT r.file, r.line,
       'sentence ' || coalesce(r.sent_id, CAST(r.sentence + 1 AS VARCHAR)) || ' has no line in the alignment '
           || $alignment_corpus AS problem,
       CASE WHEN c.format = 'giza'
            THEN 'give every sentence its three lines; without links its words are followed by nothing but ({ })'
            ELSE 'give the alignment a line for every sentence, an empty one where nothing is aligned' END AS hint
FROM sentences AS r
JOIN corpora AS c ON c.corpus = $alignment_corpus
WHERE r.corpus = $reference_corpus AND c.format <> 'wpt'
  AND NOT EXISTS (SELECT 1 FROM sentences AS a WHERE a.corpus = $alignment_corpus AND a.sentence = r.sentence)
UNION ALL
SELECT a.file, a.line,
       'the alignment has a sentence ' || CAST(a.sentence + 1 AS VARCHAR) || ', ' || $reference_corpus || ' has not' AS problem,
       'give the alignment a line for every sentence, and no more' AS hint
FROM sentences AS a
WHERE a.corpus = $alignment_corpus
  AND NOT EXISTS (SELECT 1 FROM sentences AS r WHERE r.corpus = $reference_corpus AND r.sentence = a.sentence)
UNION ALL
SELECT a.file, a.line,
       'a link is to word ' || CAST(k.source AS VARCHAR) || ' (counted from 1) of ' || $reference_corpus
           || ', whose sentence ' || CAST(k.sentence + 1 AS VARCHAR) || ' has ' || CAST(r.n_words AS VARCHAR) AS problem,
       'look whether the corpora are in order, and base and direction of the alignment right: --base, --reverse' AS hint
FROM alignments AS k
JOIN sentences AS r ON r.sentence = k.sentence
JOIN sentences AS a ON a.sentence = k.sentence
WHERE k.corpus = $alignment_corpus AND r.corpus = $reference_corpus AND a.corpus = $alignment_corpus
  AND k.source > r.n_words
UNION ALL
SELECT a.file, a.line,
       'a link is to word ' || CAST(k.target AS VARCHAR) || ' (counted from 1) of ' || $hypothesis_corpus
           || ', whose sentence ' || CAST(k.sentence + 1 AS VARCHAR) || ' has ' || CAST(h.n_words AS VARCHAR) AS problem,
       'look whether the corpora are in order, and base and direction of the alignment right: --base, --reverse' AS hint
FROM alignments AS k
JOIN sentences AS h ON h.sentence = k.sentence
JOIN sentences AS a ON a.sentence = k.sentence
WHERE k.corpus = $alignment_corpus AND h.corpus = $hypothesis_corpus AND a.corpus = $alignment_corpus
  AND k.target > h.n_words
UNION ALL
SELECT a.file, a.line,
       'the alignment was loaded for ' || coalesce(x.source_corpus, '?') || ' and ' || coalesce(x.target_corpus, '?') AS problem,
       'name its source corpus as the reference and its target corpus as the hypothesis' AS hint
FROM (SELECT k.corpus, min(k.sentence) AS sentence, min(k.source_corpus) AS source_corpus,
             min(k.target_corpus) AS target_corpus
      FROM alignments AS k
      WHERE k.corpus = $alignment_corpus
      GROUP BY k.corpus) AS x
JOIN sentences AS a ON a.sentence = x.sentence
WHERE a.corpus = $alignment_corpus
  AND (x.source_corpus <> $reference_corpus OR x.target_corpus <> $hypothesis_corpus)
