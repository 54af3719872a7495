-- non_projective_words: words whose edges are not projective; one row per word.
-- kind: statistic
-- parameters: as treebank_forms (corpus_name)
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column sent_id VARCHAR: the sentence: its sent_id, or else its 0-based number
-- column word INTEGER: position of the word
-- column form VARCHAR: the word
-- column relation VARCHAR: its relation
-- column head INTEGER: position of its head
-- column head_form VARCHAR: the head
-- source: Kuhlmann & Nivre 2006, Mildly non-projective dependency structures
SELECT w.treebank, w.sent_id, w.word, w.form, w.deprel AS relation, w.head, h.form AS head_form
FROM checked_words(forms := 'form') AS w
JOIN checked_words(forms := 'form') AS h ON h.corpus = w.corpus AND h.sentence = w.sentence AND h.word = w.head
WHERE NOT w.projective
ORDER BY w.treebank, w.corpus, w.sentence, w.word
