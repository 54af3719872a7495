-- punctuation_words: forms that consist of punctuation characters and are not always punctuation, or do not and sometimes
--   are; one row per form, with the first word that is an exception.
-- kind: statistic
-- parameters: as treebank_forms (corpus_name)
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column form VARCHAR: the form
-- column expected VARCHAR: always, if all its characters are of Unicode category P; else never
-- column words BIGINT: number of its words
-- column punctuation_tags BIGINT: number of them with upos PUNCT
-- column punctuation_relations BIGINT: number of them with the relation punct
-- column sent_id VARCHAR: sentence of the first word with another tag or relation than expected: its sent_id, or else its
--   0-based number
-- column word INTEGER: its position
-- source: de Marneffe et al. 2021, Universal Dependencies: punctuation: PUNCT and punct are for non-alphabetical
--   characters that delimit units
SELECT f.treebank, f.form, CASE WHEN f.punctuation THEN 'always' ELSE 'never' END AS expected,
       CAST(count(*) AS BIGINT) AS words,
       CAST(sum(CASE WHEN f.upos = 'PUNCT' THEN 1 ELSE 0 END) AS BIGINT) AS punctuation_tags,
       CAST(sum(CASE WHEN f.relation = 'punct' THEN 1 ELSE 0 END) AS BIGINT) AS punctuation_relations,
       max(CASE WHEN f.place = 1 THEN f.sent_id END) AS sent_id, max(CASE WHEN f.place = 1 THEN f.word END) AS word
FROM (SELECT w.treebank, w.form, w.punctuation, w.upos, w.relation, w.sent_id, w.word, w.exception,
             row_number() OVER (PARTITION BY w.treebank, w.form
                                ORDER BY w.exception DESC, length(w.sent_id), w.sent_id, w.corpus, w.word) AS place
      FROM (SELECT v.treebank, v.corpus, v.form, v.punctuation, v.upos, v.sent_id, v.word,
                   split_part(v.deprel, ':', 1) AS relation,
                   CASE WHEN v.punctuation AND v.upos = 'PUNCT' AND split_part(v.deprel, ':', 1) = 'punct' THEN 0
                        WHEN NOT v.punctuation AND v.upos <> 'PUNCT' AND split_part(v.deprel, ':', 1) <> 'punct' THEN 0
                        ELSE 1 END AS exception
            FROM checked_words(forms := 'form') AS v
            WHERE v.head IS NOT NULL) AS w) AS f
GROUP BY f.treebank, f.form, f.punctuation
HAVING sum(f.exception) > 0
ORDER BY f.treebank, expected, words DESC, f.form
