-- counted_dependents: how many dependents of some relations a word has; one row per word with dependents.
-- kind: relation
-- parameters: as treebank_forms (corpus_name)
-- column corpus VARCHAR: the corpus
-- column sentence INTEGER: the sentence
-- column word INTEGER: position of the head
-- column subjects BIGINT: number of its subjects but those of an outer clause, by their subtype outer or Subject=Outer
-- column objects BIGINT: number of its objects
-- column clause_marks BIGINT: number of its copulas and subjects
-- column fixed_words BIGINT: number of words of a fixed expression
-- column split_parts BIGINT: number of parts of a word, goeswith
-- column last_part INTEGER: position of the last of these parts
-- source: de Marneffe et al. 2021, Universal Dependencies: relations
SELECT w.corpus, w.sentence, w.head AS word,
       CAST(sum(CASE WHEN w.udeprel IN ('nsubj', 'csubj') AND w.deprel NOT IN ('nsubj:outer', 'csubj:outer')
                          AND '|' || coalesce(w.misc, '') || '|' NOT LIKE '%|Subject=Outer|%' THEN 1 ELSE 0 END) AS BIGINT)
           AS subjects,
       CAST(sum(CASE WHEN w.udeprel = 'obj' THEN 1 ELSE 0 END) AS BIGINT) AS objects,
       CAST(sum(CASE WHEN w.udeprel IN ('cop', 'nsubj', 'csubj') THEN 1 ELSE 0 END) AS BIGINT) AS clause_marks,
       CAST(sum(CASE WHEN w.udeprel = 'fixed' THEN 1 ELSE 0 END) AS BIGINT) AS fixed_words,
       CAST(sum(CASE WHEN w.udeprel = 'goeswith' THEN 1 ELSE 0 END) AS BIGINT) AS split_parts,
       max(CASE WHEN w.udeprel = 'goeswith' THEN w.word END) AS last_part
FROM words AS w
WHERE w.head > 0 AND ($corpus_name = '' OR w.corpus = $corpus_name)
GROUP BY w.corpus, w.sentence, w.head
