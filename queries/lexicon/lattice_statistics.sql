-- lattice_statistics: sizes of corpora of lattices; one row per corpus of lattices.
-- kind: statistic
-- column treebank VARCHAR: the corpus
-- column lattices BIGINT: number of lattices
-- column nodes BIGINT: number of their nodes
-- column edges BIGINT: number of their edges
-- column density DOUBLE: edges per node
-- column largest_lattice INTEGER: number of the edges of the largest one
-- column words BIGINT: number of words on edges
-- column types BIGINT: number of distinct words
-- source: Bernreuther 2005, Lattice evaluation techniques, equation 2.15
SELECT c.corpus AS treebank, z.lattices, z.nodes, z.edges,
       CAST(z.edges AS DOUBLE) / nullif(z.nodes, 0) AS density, z.largest_lattice, coalesce(w.words, 0) AS words,
       coalesce(w.types, 0) AS types
FROM corpora AS c
JOIN (SELECT l.corpus, CAST(count(*) AS BIGINT) AS lattices, CAST(sum(l.n_nodes) AS BIGINT) AS nodes,
             CAST(sum(l.n_edges) AS BIGINT) AS edges, max(l.n_edges) AS largest_lattice
      FROM lattices AS l
      GROUP BY l.corpus) AS z ON z.corpus = c.corpus
LEFT JOIN (SELECT x.corpus, CAST(count(*) AS BIGINT) AS words, CAST(count(DISTINCT x.form) AS BIGINT) AS types
           FROM lattice_words AS x
           GROUP BY x.corpus) AS w ON w.corpus = c.corpus
ORDER BY c.corpus
