-- arc_length_sums: lengths of dependencies in sentences, and what is expected in other orders; one row per group of
--   words and sentence.
-- kind: relation
-- parameters: as dependency_arcs (corpus_name, punctuation)
-- parameter grouped_by TEXT(treebank|language|relation|n_words|sentence) = treebank: groups of words: those of a treebank or
--   language, or in a treebank those with a relation, of sentences of a length, or of a sentence
-- column treebank VARCHAR: the treebank, or with `language` the language, of treebanks without one their name
-- column relation VARCHAR: universal relation, NULL unless groups are by relation
-- column n_words BIGINT: number of the words of the sentence, NULL unless groups are by it
-- column sent_id VARCHAR: the sentence, NULL unless groups are by sentence
-- column corpus VARCHAR: the corpus
-- column sentence INTEGER: the sentence
-- column words BIGINT: number of words, roots included
-- column length BIGINT: sum of the lengths of their arcs
-- column projective_sixths BIGINT: six times the expected sum in a random projective order, for an arc the words below
--   the dependent, twice those below the head, and one
-- column random_thirds BIGINT: three times the expected sum in a random order of the sentence
-- column minimum BIGINT: least sum of a projective order; NULL in groups by relation, where it is not unique
-- source: Gildea & Temperley 2010, Do grammars minimize dependency length?; Futrell, Mahowald & Gibson 2015, Large-scale
--   evidence of dependency length minimization in 37 languages; Alemany-Puig & Ferrer-i-Cancho 2022, Linear-time
--   calculation of the expected sum of edge lengths in random projective linearizations of trees
SELECT l.treebank, l.relation, l.n_words, l.sent_id, l.corpus, l.sentence, CAST(count(*) AS BIGINT) AS words,
       CAST(sum(l.length) AS BIGINT) AS length,
       CAST(sum(CASE WHEN l.root THEN 0 ELSE l.size + 2 * l.head_size + 1 END) AS BIGINT) AS projective_sixths,
       CAST(sum(CASE WHEN l.root THEN 0 ELSE l.all_words + 1 END) AS BIGINT) AS random_thirds,
       CAST(sum(l.least) AS BIGINT) AS minimum
FROM (SELECT CASE WHEN $grouped_by = 'language' THEN coalesce(k.language, k.treebank, k.corpus)
                  ELSE coalesce(k.treebank, k.corpus) END AS treebank,
             CASE WHEN $grouped_by = 'relation' THEN coalesce(a.relation, '_') END AS relation,
             CASE WHEN $grouped_by = 'n_words' THEN a.n_words END AS n_words,
             CASE WHEN $grouped_by = 'sentence' THEN coalesce(s.sent_id, CAST(s.sentence AS VARCHAR)) END AS sent_id,
             a.corpus, a.sentence, a.root, a.length, a.size, a.head_size,
             CASE WHEN $grouped_by <> 'relation' THEN a.least END AS least, a.n_words AS all_words
      FROM dependency_arcs AS a
      JOIN sentences AS s ON s.corpus = a.corpus AND s.sentence = a.sentence
      JOIN corpora AS k ON k.corpus = a.corpus) AS l
GROUP BY l.treebank, l.relation, l.n_words, l.sent_id, l.corpus, l.sentence
