-- head_children: the child that is the head of each phrase, by a set of head rules; one row per phrase.
-- kind: relation
-- engine: duckdb: rejects an unknown set of head rules
-- parameters: as phrase_children
-- parameter head_rules TEXT = collins: a set of the table head_rules: collins, negra, or one of your own
-- column sentence INTEGER: the sentence
-- column node INTEGER: node of the phrase
-- column child_node INTEGER: node of its head; NULL where that is a word
-- column child_word INTEGER: position of its head, a word; NULL where that is a phrase
-- source: Collins 1999, Head-driven statistical models for natural language parsing, appendix A; Brants et al. 2004,
--   TIGER: linguistic interpretation of a German corpus
SELECT f.sentence, f.node,
       CASE WHEN b.sentence IS NULL THEN f.child_node ELSE b.child_node END AS child_node,
       CASE WHEN b.sentence IS NULL THEN f.child_word ELSE b.child_word END AS child_word
FROM (SELECT c.sentence, c.node, c.parent_label, c.child_node, c.child_word, c.place,
             row_number() OVER (PARTITION BY c.sentence, c.node
                                ORDER BY c.bare, r.priority,
                                         CASE WHEN r.search_from = 'left' THEN c.place ELSE -c.place END) AS choice
      FROM phrase_children AS c
      LEFT JOIN (SELECT t.parent_label, t.label, t.function, h.priority, h.search_from
                 FROM (SELECT d.parent_label, d.label, d.function
                       FROM phrase_children AS d
                       GROUP BY d.parent_label, d.label, d.function) AS t
                 JOIN head_rules AS h
                   ON h.rule_set = $head_rules AND (h.parent = t.parent_label OR h.parent = '*')
                  AND (h.child = t.label OR h.child = '*') AND (h.function = t.function OR h.function = '*')
                  AND h.search_from <> 'conjunct') AS r
        ON r.parent_label = c.parent_label AND r.label IS NOT DISTINCT FROM c.label
       AND r.function IS NOT DISTINCT FROM c.function) AS f
CROSS JOIN (SELECT CASE WHEN count(*) = 0
                        THEN CAST(error('head_rules has no rule set ' || $head_rules || '; it has '
                                        || (SELECT string_agg(DISTINCT s.rule_set, ', ' ORDER BY s.rule_set)
                                            FROM head_rules AS s)) AS BOOLEAN)
                        ELSE TRUE END AS known
            FROM head_rules AS k
            WHERE k.rule_set = $head_rules) AS k
LEFT JOIN (SELECT o.sentence, o.node, o.place + 1 AS behind
           FROM phrase_children AS o
           JOIN head_rules AS r
             ON r.rule_set = $head_rules AND r.search_from = 'conjunct'
            AND (r.parent = o.parent_label OR r.parent = '*') AND r.child = o.label
           WHERE NOT o.bare) AS j ON j.sentence = f.sentence AND j.node = f.node AND j.behind = f.place
LEFT JOIN phrase_children AS b
  ON j.sentence IS NOT NULL AND b.sentence = f.sentence AND b.node = f.node AND b.place = f.place - 2
WHERE f.choice = 1 AND k.known
