-- bracket_labels: labels of brackets with the same words in a parser's trees and the gold trees; one row per pair of
--   different labels, per bracket without a partner, and per set of words and label for the brackets that match.
-- kind: metric
-- engine: kernel: compares whole trees
-- parameters: as evalb
-- audit missing_trees
-- column sentence INTEGER: the gold corpus's sentence
-- column first INTEGER: position of the first word among the words compared
-- column last INTEGER: position of the last word among the words compared
-- column gaps INTEGER: number of gaps between its words, 0 for a span
-- column gold_label VARCHAR: the label in the gold tree; NULL for a bracket of the system alone
-- column system_label VARCHAR: the label in the system's tree; NULL for a gold bracket alone. Equal labels are partners
--   first, then those that are left, in alphabetical order
-- count brackets BIGINT: number of brackets or pairs of brackets, 1 unless they match
-- count gold_brackets BIGINT: number of gold brackets among them
-- count found BIGINT: number of pairs, with a gold bracket and one of the system
-- count same_label BIGINT: number of pairs with the same label
-- score bracket_recall percent higher = sum(found) / nullif(sum(gold_brackets), 0): share of the gold brackets that are found,
--   whatever their labels
-- score bracket_label_accuracy percent higher = sum(same_label) / nullif(sum(found), 0): share of these with the right label
-- source: Black et al. 1991, A procedure for quantitatively comparing the syntactic coverage of English grammars
SELECT coalesce(g.sentence, t.sentence) AS sentence, coalesce(g.first, t.first) AS first, coalesce(g.last, t.last) AS last,
       coalesce(g.gaps, t.gaps) AS gaps, g.label AS gold_label, t.label AS system_label, CAST(1 AS BIGINT) AS brackets,
       CAST(CASE WHEN g.sentence IS NULL THEN 0 ELSE 1 END AS BIGINT) AS gold_brackets,
       CAST(CASE WHEN g.sentence IS NULL OR t.sentence IS NULL THEN 0 ELSE 1 END AS BIGINT) AS found,
       CAST(0 AS BIGINT) AS same_label
FROM (SELECT m.sentence, m.first, m.last, m.gaps, m.label,
             row_number() OVER (PARTITION BY m.sentence, m.first, m.last, m.gaps ORDER BY m.label) AS rank
      FROM (SELECT e.sentence, e.first, e.last, e.gaps, e.label, unnest(range(e.gold - e.matched)) AS copy
            FROM evalb AS e WHERE e.first IS NOT NULL) AS m) AS g
FULL JOIN (SELECT m.sentence, m.first, m.last, m.gaps, m.label,
                  row_number() OVER (PARTITION BY m.sentence, m.first, m.last, m.gaps ORDER BY m.label) AS rank
           FROM (SELECT e.sentence, e.first, e.last, e.gaps, e.label, unnest(range(e.test - e.matched)) AS copy
                 FROM evalb AS e WHERE e.first IS NOT NULL) AS m) AS t
  ON t.sentence = g.sentence AND t.first = g.first AND t.last = g.last AND t.gaps = g.gaps AND t.rank = g.rank
UNION ALL
SELECT e.sentence, e.first, e.last, e.gaps, e.label AS gold_label, e.label AS system_label, e.matched AS brackets,
       e.matched AS gold_brackets, e.matched AS found, e.matched AS same_label
FROM evalb AS e
WHERE e.matched > 0
