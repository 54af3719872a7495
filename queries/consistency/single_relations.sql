-- single_relations: relations, with their subtypes, that occur once in a treebank; one row per relation.
-- kind: statistic
-- parameters: as treebank_forms (corpus_name)
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column relation VARCHAR: the relation
-- column form VARCHAR: the only word that has it
-- column upos VARCHAR: its part of speech
-- column sent_id VARCHAR: its sentence: the sent_id, or else its 0-based number
-- column word INTEGER: its position
-- source: de Marneffe et al. 2021, Universal Dependencies: validation of treebanks
SELECT w.treebank, w.deprel AS relation, max(w.form) AS form, max(w.upos) AS upos, max(w.sent_id) AS sent_id,
       max(w.word) AS word
FROM checked_words(forms := 'form') AS w
WHERE w.head IS NOT NULL
GROUP BY w.treebank, w.deprel
HAVING count(*) = 1
ORDER BY w.treebank, w.deprel
