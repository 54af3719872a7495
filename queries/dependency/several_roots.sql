-- several_roots: sentences with more than one root; one row per sentence.
-- kind: relation
-- parameters: as word_edges
-- column sentence INTEGER: the sentence
-- column sent_id VARCHAR: its sent_id
-- column file VARCHAR: its file
-- column line BIGINT: its first line there
-- column root_words BIGINT: number of its roots
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text (whose scorer refuses them)
SELECT s.sentence, s.sent_id, s.file, s.line, CAST(count(*) AS BIGINT) AS root_words
FROM words AS w
JOIN sentences AS s ON s.corpus = w.corpus AND s.sentence = w.sentence
WHERE w.corpus = $tree_corpus AND s.corpus = $tree_corpus AND w.head = 0
GROUP BY s.sentence, s.sent_id, s.file, s.line
HAVING count(*) > 1
ORDER BY s.sentence
