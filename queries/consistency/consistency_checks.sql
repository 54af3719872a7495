-- consistency_checks: how much each of the checks of consistency finds; one row per treebank and check that finds something.
-- kind: statistic
-- parameters: as treebank_forms (corpus_name)
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column finding VARCHAR: the statistic that lists what was found
-- column cases BIGINT: number of variations in one context, relations, forms, sentences, or words that it lists
-- column sent_id VARCHAR: sentence of the first one: its sent_id, or else its 0-based number
-- column word INTEGER: position in it
-- source: Dickinson & Meurers 2003, Detecting errors in part-of-speech annotation; Boyd, Dickinson & Meurers 2008, On
--   detecting errors in dependency treebanks
SELECT f.treebank, f.finding, CAST(sum(f.counted) AS BIGINT) AS cases,
       max(CASE WHEN f.place = 1 THEN f.sent_id END) AS sent_id, max(CASE WHEN f.place = 1 THEN f.word END) AS word
FROM (SELECT a.treebank, a.finding, a.counted, a.sent_id, a.word,
             row_number() OVER (PARTITION BY a.treebank, a.finding ORDER BY a.size DESC, a.sent_id, a.word) AS place
      FROM (SELECT t.treebank, 'variation_tags' AS finding, t.sent_id, t.word, t.all_words AS size,
                   CASE WHEN row_number() OVER (PARTITION BY t.treebank, t.before, t.form, t.after ORDER BY t.tag) = 1
                        THEN 1 ELSE 0 END AS counted
            FROM tag_contexts(forms := 'form', tagset := 'upos') AS t
            WHERE t.tags_there > 1
            UNION ALL
            SELECT p.treebank, 'variation_relations', p.sent_id, p.word, p.all_words,
                   CASE WHEN row_number() OVER (PARTITION BY p.treebank, p.form, p.head_form, p.direction, p.surrounding
                                                ORDER BY p.relation) = 1
                        THEN 1 ELSE 0 END
            FROM pair_contexts(forms := 'form', surroundings := 'neighbours') AS p
            WHERE p.relations_there > 1
            UNION ALL
            SELECT s.treebank, 'single_relations', s.sent_id, s.word, 1, 1
            FROM single_relations AS s
            UNION ALL
            SELECT u.treebank, 'punctuation_words', u.sent_id, u.word, u.words, 1
            FROM punctuation_words AS u
            UNION ALL
            SELECT r.treebank, 'multiple_roots', r.sent_id, r.word, 1, 1
            FROM multiple_roots AS r
            UNION ALL
            SELECT n.treebank, 'non_projective_words', n.sent_id, n.word, 1, 1
            FROM non_projective_words AS n) AS a) AS f
GROUP BY f.treebank, f.finding
ORDER BY f.treebank, cases DESC, f.finding
