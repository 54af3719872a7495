-- dependency_lengths: lengths of dependencies beside those of random and of shortest orders; one row per treebank, or per
--   group of its words.
-- kind: statistic
-- parameters: as arc_length_sums (corpus_name, punctuation, grouped_by)
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus; with `language` the language
-- column relation VARCHAR: universal relation, NULL unless groups are by relation
-- column n_words BIGINT: number of words of the sentences, NULL unless groups are by it
-- column sent_id VARCHAR: the sentence: its sent_id, or else its 0-based number; NULL unless groups are by sentence
-- column words BIGINT: number of words, roots included; punctuation unless it is dropped
-- column length BIGINT: sum of the lengths of their arcs, without those of roots
-- column random_projective DOUBLE: expected sum in a random projective order, all being equally likely
-- column random DOUBLE: expected sum in a random order of the sentence
-- column minimum BIGINT: least sum of a projective order of the same trees; NULL in groups by relation
-- column ratio DOUBLE: length by random_projective; NULL without arcs; `treesql stats` adds the ends of its 95% interval, the
--   bootstrap over sentences, as ratio_low and ratio_high
-- source: Gildea & Temperley 2010, Do grammars minimize dependency length?; Futrell, Mahowald & Gibson 2015, Large-scale
--   evidence of dependency length minimization in 37 languages
SELECT r.treebank, r.relation, r.n_words, r.sent_id, r.words, r.length, r.random_projective, r.random, r.minimum, r.ratio
FROM (SELECT g.treebank, g.relation, g.n_words, g.sent_id, g.own_corpus, g.own_sentence,
             CAST(sum(g.words) AS BIGINT) AS words, CAST(sum(g.length) AS BIGINT) AS length,
             CAST(sum(g.projective_sixths) AS DOUBLE) / max(g.sixths) AS random_projective,
             CAST(sum(g.random_thirds) AS DOUBLE) / max(g.thirds) AS random, CAST(sum(g.minimum) AS BIGINT) AS minimum,
             6 * CAST(sum(g.length) AS DOUBLE) / nullif(sum(g.projective_sixths), 0) AS ratio
      FROM (SELECT a.treebank, a.relation, a.n_words, a.sent_id,
                   CASE WHEN $grouped_by = 'sentence' THEN a.corpus END AS own_corpus,
                   CASE WHEN $grouped_by = 'sentence' THEN a.sentence END AS own_sentence,
                   a.words, a.length, a.projective_sixths, a.random_thirds, a.minimum, 6 AS sixths, 3 AS thirds
            FROM arc_length_sums AS a) AS g
      GROUP BY g.treebank, g.relation, g.n_words, g.sent_id, g.own_corpus, g.own_sentence) AS r
ORDER BY r.treebank, r.relation, r.n_words, r.own_corpus, r.own_sentence
