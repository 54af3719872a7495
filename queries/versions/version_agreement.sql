-- version_agreement: what changed between two versions of a treebank, or how far two annotators agree; one row for
--   sentences, one for words, and one per column.
-- kind: statistic
-- engine: kernel: version_words
-- parameters: as version_sentences
-- column column VARCHAR: sentence, word, form, lemma, upos, xpos, feats, head, deprel, deps or misc
-- column same BIGINT: number of aligned words whose values are the same: of head, whose heads are aligned with each other;
--   of sentence and word, of pairs in which nothing changed
-- column changed BIGINT: number of aligned words whose values differ; of sentence and word, of pairs with any change
-- column agreement DOUBLE: same over same and changed
-- column kappa DOUBLE: Cohen's kappa of the labels; NULL for head and deps, whose labels are positions, and where both
--   versions have the same single label
-- column alpha DOUBLE: Krippendorff's alpha of the labels, nominal; NULL likewise
-- column only_old BIGINT: number of sentences or words that only the old version has; NULL for columns
-- column only_new BIGINT: number of those that only the new version has
-- source: Cohen 1960, A coefficient of agreement for nominal scales; Krippendorff 2004, Content analysis, chapter 11
SELECT k.unit AS column, coalesce(a.same, 0) AS same, coalesce(a.changed, 0) AS changed,
       CAST(a.same AS DOUBLE) / nullif(a.same + a.changed, 0) AS agreement, a.kappa, a.alpha,
       CASE WHEN k.place < 1 THEN coalesce(a.only_old, 0) END AS only_old,
       CASE WHEN k.place < 1 THEN coalesce(a.only_new, 0) END AS only_new
FROM (VALUES (-1, 'sentence'), (0, 'word'), (1, 'form'), (2, 'lemma'), (3, 'upos'), (4, 'xpos'), (5, 'feats'),
             (6, 'head'), (7, 'deprel'), (8, 'deps'), (9, 'misc')) AS k(place, unit)
LEFT JOIN version_rows(grouping := 'none') AS a ON a.number = k.place
ORDER BY k.place
