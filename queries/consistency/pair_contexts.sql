-- pair_contexts: how often two words are linked by a relation in like contexts; one row per pair of words, context and
--   relation, of pairs that have several relations there.
-- kind: relation
-- parameters: as variation_relations
-- audit missing_lemmas
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column form VARCHAR: the dependent
-- column head_form VARCHAR: the head
-- column direction VARCHAR: left or right: the side of the dependent on which the head is
-- column surrounding VARCHAR: the word before both, the number of words between them, and the word after both; or the
--   relation of the head
-- column relation VARCHAR: one of the relations of the dependent
-- column words BIGINT: number of pairs with this relation there
-- column sent_id VARCHAR: sentence of one of them, the first by length of sent_id and by sent_id
-- column word INTEGER: position of its dependent
-- column relations_there BIGINT: number of relations of the pair there
-- column all_words BIGINT: number of the pairs there
-- source: Boyd, Dickinson & Meurers 2008, On detecting errors in dependency treebanks
SELECT g.treebank, g.form, g.head_form, g.direction, g.surrounding, g.relation, g.words, g.sent_id, g.word,
       count(*) OVER (PARTITION BY g.treebank, g.form, g.head_form, g.direction, g.surrounding) AS relations_there,
       CAST(sum(g.words) OVER (PARTITION BY g.treebank, g.form, g.head_form, g.direction, g.surrounding) AS BIGINT)
           AS all_words
FROM (SELECT n.treebank, n.form, n.head_form, n.direction, n.surrounding, n.relation, CAST(count(*) AS BIGINT) AS words,
             max(CASE WHEN n.place = 1 THEN n.sent_id END) AS sent_id, max(CASE WHEN n.place = 1 THEN n.word END) AS word
      FROM (SELECT e.treebank, e.form, e.head_form, e.direction, e.surrounding, e.relation, e.sent_id, e.word,
                   row_number() OVER (PARTITION BY e.treebank, e.form, e.head_form, e.direction, e.surrounding, e.relation
                                      ORDER BY length(e.sent_id), e.sent_id, e.corpus, e.word) AS place
            FROM linked_pairs AS e
            JOIN (SELECT p.treebank, p.form, p.head_form, p.direction, p.surrounding
                  FROM linked_pairs AS p
                  GROUP BY p.treebank, p.form, p.head_form, p.direction, p.surrounding
                  HAVING min(p.relation) < max(p.relation)) AS m
                ON m.treebank = e.treebank AND m.form = e.form AND m.head_form = e.head_form
                   AND m.direction = e.direction AND m.surrounding = e.surrounding) AS n
      GROUP BY n.treebank, n.form, n.head_form, n.direction, n.surrounding, n.relation) AS g
