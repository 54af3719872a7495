-- reference_correspondence: lattices or hypotheses and references that do not correspond; one row per fault.
-- kind: audit
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameter numbered_as TEXT: corpus of the lattices or hypotheses
-- parameters: as position_independent_errors (reference_corpus, other_corpora)
-- parameter called TEXT(lattice|list|hypothesis) = hypothesis: what its sentences are called
-- parameter counterpart TEXT(reference|output|counterpart) = reference: what those of the other corpora are called
-- columns: as tree_correspondence
-- source: Papineni et al. 2002, BLEU: a method for automatic evaluation of machine translation (sacrebleu refuses as well)
SELECT s.file, s.line,
       $called || ' ' || CAST(s.sentence + 1 AS VARCHAR) || ' of ' || $numbered_as || ' has no counterpart in ' || r.reference
           AS problem,
       'give every ' || $called || CASE $counterpart WHEN 'output' THEN ' an output' ELSE ' a ' || $counterpart END
           || ', line by line; an empty line is an empty ' || $counterpart AS hint
FROM sentences AS s
JOIN (SELECT c.reference, max(c.sentence) AS last_sentence
      FROM reference_sentences AS c
      LEFT JOIN references_with_ids AS i ON i.reference = c.reference
      WHERE i.reference IS NULL
      GROUP BY c.reference) AS r ON s.sentence = r.last_sentence + 1
WHERE s.corpus = $numbered_as
UNION ALL
SELECT c.corpus AS file, CAST(0 AS BIGINT) AS line,
       'the last ' || $counterpart || ' is number ' || CAST(r.last_sentence + 1 AS VARCHAR) || ', the last ' || $called || ' of ' || $numbered_as
           || ' number ' || CAST(l.last_sentence + 1 AS VARCHAR) AS problem,
       'give as many ' || $counterpart || 's as there are ' || CASE $called WHEN 'lattice' THEN 'lattices' WHEN 'list' THEN 'lists' ELSE 'hypotheses' END AS hint
FROM (SELECT c.reference, max(c.sentence) AS last_sentence
      FROM reference_sentences AS c
      LEFT JOIN references_with_ids AS i ON i.reference = c.reference
      WHERE i.reference IS NULL
      GROUP BY c.reference) AS r
JOIN corpora AS c ON c.corpus = r.reference
JOIN (SELECT s.corpus, max(s.sentence) AS last_sentence
      FROM sentences AS s
      WHERE s.corpus = $numbered_as
      GROUP BY s.corpus) AS l ON l.last_sentence < r.last_sentence
UNION ALL
SELECT c.corpus AS file, CAST(0 AS BIGINT) AS line,
       'other_corpora, ' || $other_corpora || ', names a corpus that does not exist' AS problem,
       'separate the names of corpora by commas, without blanks' AS hint
FROM corpora AS c
WHERE c.corpus = $reference_corpus AND $other_corpora <> ''
  AND length($other_corpora) - length(replace($other_corpora, ',', '')) + 1
      <> (SELECT count(*) AS known
          FROM corpora AS k
          WHERE replace(',' || $other_corpora || ',', ',' || k.corpus || ',', '') <> ',' || $other_corpora || ',')
UNION ALL
SELECT u.file, u.line, u.problem, u.hint
FROM unmatched_ids AS u
