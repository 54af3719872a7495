-- treebank_statistics: size of a treebank, and statistics of its words and trees; one row per treebank.
-- kind: statistic
-- parameters: as treebank_forms (corpus_name)
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column sentences BIGINT: number of sentences
-- column words BIGINT: number of words, punctuation included
-- column types BIGINT: number of distinct forms, as written
-- column singletons BIGINT: number of forms that occur once
-- column lemmas BIGINT: number of distinct lemmas
-- column words_with_features DOUBLE: share of the words with morphological features
-- column sttr DOUBLE: standardised type/token ratio in chunks of 1000 words; NULL for fewer words
-- column words_per_sentence DOUBLE: mean length of a sentence in words
-- column longest_sentence INTEGER: length of the longest sentence in words
-- column function_share DOUBLE: share of the parsed words with a function relation
-- column content_share DOUBLE: share of the parsed words with a content relation
-- column other_share DOUBLE: share of the parsed words with any other relation
-- column universal_relations BIGINT: number of distinct universal relations
-- column full_relations BIGINT: number of distinct relations with their subtypes
-- column mean_depth DOUBLE: mean over the trees of the depth of the deepest word, a root having 1
-- column deepest INTEGER: depth of the deepest tree
-- column mean_dependency_length DOUBLE: mean of |head - word| over all words that are not roots
-- column non_projective_sentence_share DOUBLE: share of sentences with an edge that is not projective, without those
--   whose heads form a cycle
-- column non_projective_edge_share DOUBLE: share of words whose edge is not projective, without roots and those
--   sentences
-- source: de Marneffe et al. 2021, Universal Dependencies: treebank statistics; Liu 2008, Dependency distance as a
--   metric of language comprehension difficulty; Kuhlmann & Nivre 2006, Mildly non-projective dependency structures
SELECT z.treebank, z.sentences, h.words, y.types, y.singletons, f.lemmas,
       CAST(f.featured_words AS DOUBLE) / nullif(h.words, 0) AS words_with_features, t.sttr,
       CAST(h.words AS DOUBLE) / z.sentences AS words_per_sentence, z.longest_sentence,
       h.function_share, h.content_share, h.other_share, f.universal_relations, f.full_relations,
       d.mean_depth, d.deepest, d.mean_dependency_length, d.non_projective_sentence_share, d.non_projective_edge_share
FROM (SELECT coalesce(c.treebank, c.corpus) AS treebank, CAST(count(*) AS BIGINT) AS sentences,
             max(s.n_words) AS longest_sentence
      FROM sentences AS s
      JOIN corpora AS c ON c.corpus = s.corpus
      WHERE $corpus_name = '' OR s.corpus = $corpus_name
      GROUP BY coalesce(c.treebank, c.corpus)) AS z
JOIN relation_shares AS h ON h.treebank = z.treebank
JOIN standardised_type_token AS t ON t.treebank = z.treebank
JOIN (SELECT n.treebank, CAST(count(*) AS BIGINT) AS types,
             CAST(sum(CASE WHEN n.words = 1 THEN 1 ELSE 0 END) AS BIGINT) AS singletons
      FROM (SELECT o.treebank, o.form, sum(o.words) AS words
            FROM treebank_forms(forms := 'form') AS o
            GROUP BY o.treebank, o.form) AS n
      GROUP BY n.treebank) AS y ON y.treebank = z.treebank
JOIN (SELECT coalesce(c.treebank, c.corpus) AS treebank, CAST(count(DISTINCT w.lemma) AS BIGINT) AS lemmas,
             CAST(count(w.feats) AS BIGINT) AS featured_words,
             CAST(count(DISTINCT w.udeprel) AS BIGINT) AS universal_relations,
             CAST(count(DISTINCT w.deprel) AS BIGINT) AS full_relations
      FROM words AS w
      JOIN corpora AS c ON c.corpus = w.corpus
      WHERE $corpus_name = '' OR w.corpus = $corpus_name
      GROUP BY coalesce(c.treebank, c.corpus)) AS f ON f.treebank = z.treebank
LEFT JOIN (SELECT coalesce(c.treebank, c.corpus) AS treebank,
                  CAST(sum(r.depth) AS DOUBLE) / nullif(count(r.depth), 0) AS mean_depth, max(r.depth) AS deepest,
                  CAST(sum(r.dependency_length) AS DOUBLE) / nullif(sum(r.words - r.roots), 0) AS mean_dependency_length,
                  CAST(sum(CASE WHEN NOT r.projective THEN 1 ELSE 0 END) AS DOUBLE) / nullif(count(r.projective), 0) AS non_projective_sentence_share,
                  CAST(sum(r.non_projective_edges) AS DOUBLE)
                      / nullif(sum(CASE WHEN r.projective IS NULL THEN 0 ELSE r.words - r.roots END), 0) AS non_projective_edge_share
           FROM trees AS r
           JOIN corpora AS c ON c.corpus = r.corpus
           WHERE $corpus_name = '' OR r.corpus = $corpus_name
           GROUP BY coalesce(c.treebank, c.corpus)) AS d ON d.treebank = z.treebank
ORDER BY z.treebank
