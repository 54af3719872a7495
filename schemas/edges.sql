-- edges: basic and enhanced dependencies as one graph; one row per edge.
-- kind: view
-- engine: portable
-- column corpus VARCHAR: its corpus
-- column sentence INTEGER: its sentence
-- column head INTEGER: the head: a word, the word that an empty node follows, or 0 for the root
-- column head_index INTEGER: 0 for a word, the index of an empty node otherwise
-- column dependent INTEGER: the dependent: a word, or the word that an empty node follows
-- column dependent_index INTEGER: 0 for a word, the index of an empty node otherwise
-- column deprel VARCHAR: the relation
-- column enhanced BOOLEAN: whether it belongs to the enhanced graph (DEPS) or to the basic tree (HEAD)
-- source: CoNLL-U format, Universal Dependencies, columns HEAD, DEPREL and DEPS
SELECT w.corpus, w.sentence, w.head, 0 AS head_index, w.word AS dependent, 0 AS dependent_index, w.deprel,
       FALSE AS enhanced
FROM words AS w
WHERE w.head IS NOT NULL
UNION ALL
SELECT e.corpus, e.sentence, e.head, e.head_index, e.dependent, e.dependent_index, e.deprel, TRUE AS enhanced
FROM enhanced_edges AS e
