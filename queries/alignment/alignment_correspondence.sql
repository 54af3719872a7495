-- alignment_correspondence: differences between the sentences of two alignments; one row per fault.
-- kind: audit
-- parameter gold_corpus TEXT: the gold alignment
-- parameter system_corpus TEXT: the system's alignment
-- columns: as tree_correspondence
-- source: Mihalcea & Pedersen 2003, An evaluation exercise for word alignment, in whose format alone a sentence without
--   links has no line
SELECT s.file, s.line,
       'gold sentence ' || CAST(s.sentence + 1 AS VARCHAR) || ' has no line in ' || o.corpus || ', which has '
           || CAST(o.n_sentences AS VARCHAR) || ' of ' || CAST(c.n_sentences AS VARCHAR) || ' sentences' AS problem,
       CASE WHEN o.format = 'giza'
            THEN 'give every sentence its three lines; without links its words are followed by nothing but ({ })'
            ELSE 'give every sentence a line; a sentence without links is an empty line' END AS hint
FROM sentences AS s
JOIN corpora AS c ON c.corpus = s.corpus
JOIN corpora AS o ON o.n_sentences = s.sentence
WHERE s.corpus = $gold_corpus AND c.corpus = $gold_corpus AND o.corpus = $system_corpus AND o.format <> 'wpt'
UNION ALL
SELECT s.file, s.line,
       'sentence ' || CAST(s.sentence + 1 AS VARCHAR) || ' of ' || s.corpus || ' is not among the '
           || CAST(o.n_sentences AS VARCHAR) || ' gold sentences' AS problem,
       'give both sides the same sentences' AS hint
FROM sentences AS s
JOIN corpora AS o ON o.n_sentences = s.sentence
WHERE s.corpus = $system_corpus AND o.corpus = $gold_corpus AND o.format <> 'wpt'
