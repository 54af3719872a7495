-- shared_nodes: the phrases that both trees of a sentence have, with the same label and the same words, and the words
--   that have the same tag in both; one row per node of either tree.
-- kind: relation
-- engine: kernel: compares whole trees
-- parameters: as robinson_foulds (gold_corpus, system_corpus, rules)
-- column sentence INTEGER: the sentence
-- column of_gold BIGINT: 1 for a node of the gold tree, 0 for one of the system's
-- column node INTEGER: node of a phrase; NULL for a word
-- column word INTEGER: position of a word; NULL for a phrase
-- column label VARCHAR: label or tag
-- column first INTEGER: position of its first word among the words compared
-- column last INTEGER: position of its last word among the words compared
-- column gaps INTEGER: number of gaps between its words
-- column words_key BIGINT: equal for phrases of a sentence with the same words; 0 for a word
-- source: Blaheta & Charniak 2000, Assigning function tags to parsed text
SELECT m.sentence, CAST(1 - m.found.side AS BIGINT) AS of_gold, nullif(m.found.node, 0) AS node,
       nullif(m.found.word, 0) AS word, n.label, m.found.first AS first, m.found.last AS last, m.found.gaps AS gaps, m.found.key AS words_key
FROM (SELECT p.sentence, unnest(matched_nodes(p.gold, p.test, p.gold_labels, p.test_labels, p.word_classes,
                                              p.labelled, p.by_gold)) AS found
      FROM parse_pairs AS p) AS m
LEFT JOIN compared_labels AS n ON n.number = m.found.label
