-- treebank_relations: frequency of every relation with its subtype; one row per corpus and relation.
-- kind: relation
-- parameters: as treebank_forms (corpus_name)
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column deprel VARCHAR: the relation with its subtype
-- column relation VARCHAR: universal relation
-- count words BIGINT: number of words with it
-- source: de Marneffe et al. 2021, Universal Dependencies: treebank statistics
SELECT coalesce(c.treebank, c.corpus) AS treebank, d.deprel, split_part(d.deprel, ':', 1) AS relation, d.words
FROM (SELECT w.corpus, w.deprel, CAST(count(*) AS BIGINT) AS words
      FROM words AS w
      WHERE ($corpus_name = '' OR w.corpus = $corpus_name) AND w.deprel IS NOT NULL
      GROUP BY w.corpus, w.deprel) AS d
JOIN corpora AS c ON c.corpus = d.corpus
