-- directions_correspondence: differences between the sentences of two alignments to be symmetrised; one row per fault.
-- kind: audit
-- parameter forward_corpus TEXT: the first alignment
-- parameter backward_corpus TEXT: the second alignment
-- columns: as tree_correspondence
-- source: Koehn et al. 2005, Edinburgh system description for the 2005 IWSLT speech translation evaluation
SELECT s.file, s.line,
       'sentence ' || CAST(s.sentence + 1 AS VARCHAR) || ' of ' || s.corpus || ' has no counterpart in ' || o.corpus
           || ', which has ' || CAST(o.n_sentences AS VARCHAR) || ' sentences' AS problem,
       CASE WHEN o.format = 'giza'
            THEN 'give both sides the same sentences; without links their words are followed by nothing but ({ })'
            ELSE 'give both sides the same sentences; a sentence without links is an empty line' END AS hint
FROM sentences AS s
JOIN corpora AS o ON o.n_sentences = s.sentence
WHERE o.format <> 'wpt'
  AND ((s.corpus = $forward_corpus AND o.corpus = $backward_corpus)
       OR (s.corpus = $backward_corpus AND o.corpus = $forward_corpus))
