-- version_further_columns: values in columns beyond those of CoNLL-U, of one of two versions of a corpus; one row per word,
--   multiword token or empty node that has some.
-- kind: relation
-- engine: duckdb: string_agg in order
-- parameter side_corpus TEXT: one of the two corpora
-- column unit VARCHAR: word, range or empty_node
-- column sentence INTEGER: its sentence
-- column word INTEGER: position of the word, of the first word of a multiword token, or of the word that an empty node follows
-- column node INTEGER: number of an empty node, 0 otherwise
-- column further VARCHAR: the values as `NAME=VALUE`, sorted by name
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format
SELECT c.unit, c.sentence, c.word, c.node, string_agg(c.name || '=' || c.value, '|' ORDER BY c.name) AS further
FROM (SELECT 'word' AS unit, w.sentence, w.word, 0 AS node, w.name, w.value
      FROM word_columns AS w
      WHERE w.corpus = $side_corpus
      UNION ALL
      SELECT 'range' AS unit, t.sentence, t.first AS word, 0 AS node, t.name, t.value
      FROM token_columns AS t
      WHERE t.corpus = $side_corpus
      UNION ALL
      SELECT 'empty_node' AS unit, e.sentence, e.word, e.index AS node, e.name, e.value
      FROM empty_node_columns AS e
      WHERE e.corpus = $side_corpus) AS c
GROUP BY c.unit, c.sentence, c.word, c.node
