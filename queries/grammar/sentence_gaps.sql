-- sentence_gaps: how discontinuous trees are; one row per sentence with a constituency tree, or a dependency tree without a
--   cycle.
-- kind: relation
-- parameters: as treebank_forms (corpus_name)
-- column corpus VARCHAR: the corpus
-- column sentence INTEGER: the sentence
-- column gap_degree BIGINT: the largest number of gaps in a phrase, or in the words
--   below a word, 0 for a continuous tree
-- column phrases_with_gaps BIGINT: number of phrases, or words with those below them, with gaps
-- column ill_nested_phrases BIGINT: number of phrases that interleave with another one that has no word in common: a word
--   of the one, one of the other, one of the first and one of the other follow in this order
-- column well_nested BOOLEAN: whether there are none
-- source: Maier & Lichte 2011, Characterizing discontinuity in constituent treebanks; Bodirsky, Kuhlmann & Möhl 2005,
--   Well-nested drawings as models of syntactic structure; Kuhlmann & Nivre 2006, Mildly non-projective dependency
--   structures
SELECT s.corpus, s.sentence, coalesce(d.gap_degree, 0) AS gap_degree,
       coalesce(d.phrases_with_gaps, 0) AS phrases_with_gaps, coalesce(i.ill_nested_phrases, 0) AS ill_nested_phrases,
       i.ill_nested_phrases IS NULL AS well_nested
FROM sentences AS s
JOIN corpora AS k ON k.corpus = s.corpus
LEFT JOIN trees AS t ON t.corpus = s.corpus AND t.sentence = s.sentence
LEFT JOIN (SELECT b.corpus, b.sentence, CAST(max(b.block) - 1 AS BIGINT) AS gap_degree,
                  CAST(sum(CASE WHEN b.block = 1 THEN 1 ELSE 0 END) AS BIGINT) AS phrases_with_gaps
           FROM phrase_blocks AS b
           GROUP BY b.corpus, b.sentence) AS d ON d.corpus = s.corpus AND d.sentence = s.sentence
LEFT JOIN (SELECT p.corpus, p.sentence, CAST(count(*) AS BIGINT) AS ill_nested_phrases
           FROM (SELECT m.corpus, m.sentence, m.node FROM interleaved_phrases AS m
                 UNION
                 SELECT r.corpus, r.sentence, r.other AS node FROM interleaved_phrases AS r) AS p
           GROUP BY p.corpus, p.sentence) AS i ON i.corpus = s.corpus AND i.sentence = s.sentence
WHERE s.n_words > 0 AND (k.kind = 'constituency' OR (k.kind = 'dependency' AND t.projective IS NOT NULL)) AND ($corpus_name = '' OR s.corpus = $corpus_name)
