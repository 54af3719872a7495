-- version_agreement: what changed between two versions of a treebank, or how far two annotators agree; one row for
--   sentences, one for words, and one per column.
-- kind: statistic
-- engine: kernel: version_words
-- parameters: as version_sentences
-- parameters: as version_comment_values (compared_comments)
-- column column VARCHAR: sentence, text, newdoc, newpar; word, form, lemma, upos, xpos, feats, head, deprel, deps, misc; range
--   (multiword tokens), empty_node; and, where a version has values of it, comments, further_columns, range_words,
--   range_form, range_misc and the like, empty_form, empty_deps and the like
-- column same BIGINT: number of pairs whose values are the same: of words, of sentences for text, newdoc, newpar and comments,
--   of multiword tokens and empty nodes for their columns, if a version has a value there; of head, whose heads are
--   aligned with each other; of sentence, word, range and empty_node, of pairs in which nothing changed
-- column changed BIGINT: number of pairs whose values differ; of sentence, word, range and empty_node, of pairs with any
--   change
-- column agreement DOUBLE: same over same and changed
-- column kappa DOUBLE: Cohen's kappa of the labels; NULL for head and deps, whose labels are positions, where both versions
--   have the same single label, and for what is no column of words
-- column alpha DOUBLE: Krippendorff's alpha of the labels, nominal; NULL likewise
-- column only_old BIGINT: number of sentences, words, multiword tokens or empty nodes that only the old version has; NULL for
--   columns
-- column only_new BIGINT: number of those that only the new version has
-- source: Cohen 1960, A coefficient of agreement for nominal scales; Krippendorff 2004, Content analysis, chapter 11
SELECT t.unit AS column, CAST(sum(t.same) AS BIGINT) AS same, CAST(sum(t.changed) AS BIGINT) AS changed,
       CAST(sum(t.same) AS DOUBLE) / nullif(sum(t.same) + sum(t.changed), 0) AS agreement, max(t.kappa) AS kappa,
       max(t.alpha) AS alpha, CASE WHEN t.place IN (0, 10, 40, 60) THEN CAST(sum(t.only_old) AS BIGINT) END AS only_old,
       CASE WHEN t.place IN (0, 10, 40, 60) THEN CAST(sum(t.only_new) AS BIGINT) END AS only_new
FROM (SELECT k.place, k.unit, 0 AS same, 0 AS changed, CAST(NULL AS DOUBLE) AS kappa, CAST(NULL AS DOUBLE) AS alpha,
             0 AS only_old, 0 AS only_new
      FROM (VALUES (0, 'sentence'), (1, 'text'), (2, 'newdoc'), (3, 'newpar'), (10, 'word'), (11, 'form'), (12, 'lemma'),
                   (13, 'upos'), (14, 'xpos'), (15, 'feats'), (16, 'head'), (17, 'deprel'), (18, 'deps'), (19, 'misc'),
                   (40, 'range'), (60, 'empty_node')) AS k(place, unit)
      UNION ALL
      SELECT a.number, a.name, a.same, a.changed, a.kappa, a.alpha, a.only_old, a.only_new
      FROM version_rows(grouping := 'none') AS a) AS t
GROUP BY t.place, t.unit
ORDER BY t.place
