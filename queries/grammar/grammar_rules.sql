-- grammar_rules: the rules of the grammar that constituency trees contain, a phrase and its children; one row per treebank
--   and rule.
-- kind: statistic
-- engine: duckdb: regular expressions
-- parameters: as treebank_forms (corpus_name)
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column label VARCHAR: category of the phrase, without functions
-- column children VARCHAR: categories of phrases and tags of words below it, in the order of their first words
-- column phrases BIGINT: number of phrases with these children
-- column share DOUBLE: their part of the phrases with this category, the probability of the rule
-- source: Charniak 1996, Tree-bank grammars
SELECT r.treebank, r.label, r.children, r.phrases,
       CAST(r.phrases AS DOUBLE) / sum(r.phrases) OVER (PARTITION BY r.treebank, r.label) AS share
FROM (SELECT b.treebank, b.label, b.children, CAST(count(*) AS BIGINT) AS phrases
      FROM (SELECT coalesce(k.treebank, k.corpus) AS treebank, n.category AS label,
                   string_agg(coalesce(c.category, '_'), ' ' ORDER BY c.first) AS children
            FROM tree_nodes AS n
            JOIN tree_nodes AS c ON c.corpus = n.corpus AND c.sentence = n.sentence AND c.parent = n.node
            JOIN corpora AS k ON k.corpus = n.corpus
            WHERE n.kind = 'phrase' AND ($corpus_name = '' OR n.corpus = $corpus_name)
            GROUP BY k.treebank, k.corpus, n.corpus, n.sentence, n.node, n.category) AS b
      GROUP BY b.treebank, b.label, b.children) AS r
ORDER BY r.treebank, r.phrases DESC, r.label, r.children
