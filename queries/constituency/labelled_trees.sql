-- labelled_trees: constituency trees as lists with labels and tags, for the edit distance; one row per sentence.
-- kind: relation
-- engine: duckdb: packs rows into lists
-- parameter tree_corpus TEXT: corpus of the trees
-- column sentence INTEGER: the sentence
-- column tree STRUCT(nodes INTEGER[], parents INTEGER[], labels UBIGINT[], words INTEGER[], phrases INTEGER[], tags UBIGINT[], forms UBIGINT[], kinds UTINYINT[]): as
--   of packed_trees, with the hashed labels of phrases and tags of words
-- source: DuckDB, lists
SELECT s.sentence,
       struct_pack(nodes := coalesce(n.nodes, []), parents := coalesce(n.parents, []), labels := coalesce(n.labels, []),
                   words := coalesce(l.words, []), phrases := coalesce(l.phrases, []), tags := coalesce(l.tags, []),
                   forms := coalesce(l.forms, []), kinds := coalesce(l.kinds, [])) AS tree
FROM sentences AS s
LEFT JOIN (SELECT c.sentence, list(c.node) AS nodes, list(coalesce(c.parent, 0)) AS parents,
                  list(hash(c.label)) AS labels
           FROM constituents AS c
           WHERE c.corpus = $tree_corpus
           GROUP BY c.sentence) AS n ON n.sentence = s.sentence
LEFT JOIN (SELECT w.sentence, list(w.word) AS words, list(coalesce(w.phrase, 0)) AS phrases, list(hash(w.xpos)) AS tags,
                  list(hash(w.form)) AS forms,
                  list(CAST(CASE WHEN w.xpos = '-NONE-' THEN 2 ELSE 0 END AS UTINYINT)) AS kinds
           FROM words AS w
           WHERE w.corpus = $tree_corpus
           GROUP BY w.sentence) AS l ON l.sentence = s.sentence
WHERE s.corpus = $tree_corpus
