-- multiple_roots: sentences with several roots; one row per sentence.
-- kind: statistic
-- parameters: as treebank_forms (corpus_name)
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column sent_id VARCHAR: the sentence: its sent_id, or else its 0-based number
-- column root_words BIGINT: number of its roots
-- column word INTEGER: position of the last of them
-- column form VARCHAR: its form
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format (a tree has one root)
SELECT r.treebank, r.sent_id, r.root_words, r.word, r.form
FROM (SELECT w.treebank, w.corpus, w.sentence, w.sent_id, w.word, w.form,
             count(*) OVER (PARTITION BY w.corpus, w.sentence) AS root_words,
             max(w.word) OVER (PARTITION BY w.corpus, w.sentence) AS last_word
      FROM checked_words(forms := 'form') AS w
      WHERE w.head = 0) AS r
WHERE r.root_words > 1 AND r.word = r.last_word
ORDER BY r.treebank, r.corpus, r.sentence
