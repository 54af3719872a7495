-- head_words: the word that is the head of each phrase, by a set of head rules; one row per phrase.
-- kind: relation
-- engine: duckdb: rejects an unknown set of head rules
-- parameters: as head_children
-- column sentence INTEGER: the sentence
-- column node INTEGER: node of the phrase
-- column word INTEGER: position of its head word
-- source: Magerman 1995, Statistical decision-tree models for parsing
SELECT w.sentence, w.node, w.word
FROM (
WITH RECURSIVE heads AS (
    SELECT h.sentence, h.node, h.child_node, h.child_word FROM head_children AS h
), lifted AS (
    SELECT h.sentence, h.node, h.child_word AS word FROM heads AS h WHERE h.child_word IS NOT NULL
    UNION ALL
    SELECT h.sentence, h.node, l.word
    FROM lifted AS l
    JOIN heads AS h ON h.sentence = l.sentence AND h.child_node = l.node
)
SELECT l.sentence, l.node, l.word FROM lifted AS l
) AS w
