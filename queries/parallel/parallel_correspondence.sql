-- parallel_correspondence: differences between the sentences and words of a parallel treebank and those of a system;
--   one row per fault.
-- kind: audit
-- parameters: as pts (gold_a_corpus, system_a_corpus, gold_b_corpus, system_b_corpus, gold_links_corpus, system_links_corpus)
-- columns: as tree_correspondence
-- source: Buchholz & Marsi 2006, CoNLL-X shared task on multilingual dependency parsing (eval.pl, "Word mismatch")
SELECT a.file, a.line, a.problem, a.hint
FROM tree_correspondence(gold_corpus := $gold_a_corpus, system_corpus := $system_a_corpus) AS a
UNION ALL
SELECT a.file, a.line, a.problem, a.hint
FROM unparsed_gold(gold_corpus := $gold_a_corpus) AS a
UNION ALL
SELECT b.file, b.line, b.problem, b.hint
FROM tree_correspondence(gold_corpus := $gold_b_corpus, system_corpus := $system_b_corpus) AS b
UNION ALL
SELECT b.file, b.line, b.problem, b.hint
FROM unparsed_gold(gold_corpus := $gold_b_corpus) AS b
UNION ALL
SELECT l.file, l.line, l.problem, l.hint
FROM alignment_correspondence(gold_corpus := $gold_links_corpus, system_corpus := $system_links_corpus) AS l
UNION ALL
SELECT s.file, s.line,
       'sentence ' || CAST(s.sentence + 1 AS VARCHAR) || ' of ' || s.corpus || ' has no counterpart in ' || o.corpus
           || ', which has ' || CAST(o.n_sentences AS VARCHAR) || ' sentences' AS problem,
       'give both sides and the alignment the same sentences' AS hint
FROM sentences AS s
JOIN corpora AS o ON o.n_sentences = s.sentence
WHERE o.format <> 'wpt'
  AND ((s.corpus = $gold_a_corpus AND (o.corpus = $gold_b_corpus OR o.corpus = $gold_links_corpus))
       OR (s.corpus = $gold_b_corpus AND o.corpus = $gold_a_corpus)
       OR (s.corpus = $gold_links_corpus AND o.corpus = $gold_a_corpus))
