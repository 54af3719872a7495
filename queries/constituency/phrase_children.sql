-- phrase_children: the children of phrases, phrases and words; one row per child.
-- kind: relation
-- engine: duckdb: regular expressions
-- parameters: as labelled_trees
-- parameter first_sentence INTEGER(0..) = 0: the first sentence of the corpus that is read
-- parameter last_sentence INTEGER(0..) = 2147483647: the last one
-- column sentence INTEGER: the sentence
-- column node INTEGER: node of the parent phrase
-- column parent_label VARCHAR: its label
-- column child_node INTEGER: node of the child; NULL for a word
-- column child_word INTEGER: position of the child, a word; NULL for a phrase
-- column label VARCHAR: label or tag of the child
-- column function VARCHAR: its function without the sign
-- column bare BOOLEAN: whether it is punctuation or an empty element
-- column place BIGINT: 1, 2, ... from the left, those that are bare behind the others
-- source: Magerman 1995, Statistical decision-tree models for parsing
SELECT c.sentence, c.node, c.parent_label, c.child_node, c.child_word, c.label, c.function, c.bare,
       row_number() OVER (PARTITION BY c.sentence, c.node ORDER BY c.bare, c.first, c.child_node) AS place
FROM (SELECT p.sentence, p.node, p.label AS parent_label, n.node AS child_node, CAST(NULL AS INTEGER) AS child_word,
             n.label, substr(n.functions, 2) AS function, e.word IS NOT NULL AS bare, n.first
      FROM constituents AS p
      JOIN constituents AS n ON n.corpus = p.corpus AND n.sentence = p.sentence AND n.parent = p.node
      LEFT JOIN words AS e
        ON e.corpus = n.corpus AND e.sentence = n.sentence AND e.word = n.first AND n.first = n.last
       AND e.xpos = '-NONE-'
      WHERE p.corpus = $tree_corpus AND p.sentence >= $first_sentence AND p.sentence <= $last_sentence
      UNION ALL
      SELECT p.sentence, p.node, p.label AS parent_label, CAST(NULL AS INTEGER) AS child_node, w.word AS child_word,
             w.xpos AS label, nullif(regexp_extract(w.misc, '(^|\|)Function=([^|]*)', 2), '') AS function,
             coalesce(w.punctuation OR w.xpos = '-NONE-', FALSE) AS bare, w.word AS first
      FROM constituents AS p
      JOIN words AS w ON w.corpus = p.corpus AND w.sentence = p.sentence AND w.phrase = p.node
      WHERE p.corpus = $tree_corpus AND p.sentence >= $first_sentence AND p.sentence <= $last_sentence) AS c
