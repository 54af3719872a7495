-- linked_pairs: pairs of words that are linked in the trees, with their surroundings; one row per word with a head.
-- kind: relation
-- parameters: as variation_relations
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column corpus VARCHAR: its corpus
-- column sentence INTEGER: its sentence
-- column sent_id VARCHAR: the sentence's sent_id, or else its 0-based number
-- column word INTEGER: position of the dependent
-- column form VARCHAR: the dependent
-- column head_form VARCHAR: the head
-- column direction VARCHAR: left or right: the side of the dependent on which the head is
-- column surrounding VARCHAR: the word before both, the number of words between them, and the word after both; or the
--   relation of the head
-- column relation VARCHAR: the relation
-- source: Boyd, Dickinson & Meurers 2008, On detecting errors in dependency treebanks
SELECT d.treebank, d.corpus, d.sentence, d.sent_id, d.word, d.unit AS form, h.unit AS head_form,
       CASE WHEN d.head < d.word THEN 'left' ELSE 'right' END AS direction,
       CASE WHEN $surroundings = 'head' THEN h.deprel
            WHEN $surroundings = 'none' THEN ''
            ELSE coalesce(b.unit, '.S') || ' _ ' || CAST(abs(d.head - d.word) - 1 AS VARCHAR) || ' _ '
                     || coalesce(a.unit, '.E') END AS surrounding,
       d.deprel AS relation
FROM checked_words AS d
JOIN checked_words AS h ON h.corpus = d.corpus AND h.sentence = d.sentence AND h.word = d.head
LEFT JOIN checked_words AS b ON b.corpus = d.corpus AND b.sentence = d.sentence
                            AND b.word = CASE WHEN d.head < d.word THEN d.head ELSE d.word END - 1
LEFT JOIN checked_words AS a ON a.corpus = d.corpus AND a.sentence = d.sentence
                            AND a.word = CASE WHEN d.head > d.word THEN d.head ELSE d.word END + 1
WHERE d.head > 0
