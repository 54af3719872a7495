-- tree_nodes: every node of a constituency tree: the phrases, the tags of words, and the words themselves, as Tregex
--   and TIGERSearch see a tree; one row per node.
-- kind: view
-- engine: duckdb: regular expressions
-- column corpus VARCHAR: its corpus
-- column sentence INTEGER: its sentence
-- column node INTEGER: its number in the sentence: of a phrase that in `constituents`, of a tag -2 times the position of its
--   word, of a word one less
-- column parent INTEGER: number of the node above it; NULL for a root
-- column kind VARCHAR: `phrase`, `tag` or `word`
-- column label VARCHAR: the label of a phrase as written, in bracketed trees with its functions: `NP-SBJ-1`; the tag; the word's form
-- column category VARCHAR: the label of a phrase without functions, `NP`; the tag, likewise; the word's form
-- column edge_label VARCHAR: the function without its sign, `SBJ-1`, of a phrase and of a tag (`Function=` in `misc`); NULL if there is none
-- column first INTEGER: position of its first word
-- column last INTEGER: position of its last word
-- column level INTEGER: depth of a phrase; of tags and words a number above all depths, words above tags
-- column phrase INTEGER: number of the phrase that it is, or that its word hangs on; NULL for a word outside all phrases
-- column leave INTEGER: the largest number of a phrase below a phrase with gaps, or its own; NULL for other nodes
-- column word INTEGER: position of its word; NULL for a phrase
-- column form VARCHAR: form of its word; NULL for a phrase
-- column lemma VARCHAR: lemma of its word; NULL for a phrase
-- column feats VARCHAR: morphological features of its word; NULL for a phrase
-- source: Levy & Andrew 2006, Tregex and Tsurgeon; König & Lezius 2003, The TIGER language
SELECT c.corpus, c.sentence, c.node, c.parent, 'phrase' AS kind,
       CASE WHEN k.format IN ('export', 'tigerxml', 'discbracket') THEN c.label
            ELSE c.label || coalesce(c.functions, '') END AS label,
       c.label AS category, substr(c.functions, 2) AS edge_label, c.first, c.last, c.depth AS level, c.node AS phrase,
       g.leave, CAST(NULL AS INTEGER) AS word, CAST(NULL AS VARCHAR) AS form, CAST(NULL AS VARCHAR) AS lemma,
       CAST(NULL AS VARCHAR) AS feats
FROM constituents AS c
JOIN corpora AS k ON k.corpus = c.corpus
LEFT JOIN (SELECT d.corpus, d.sentence, d.node, CAST(max(b.node) AS INTEGER) AS leave
           FROM constituents AS d
           JOIN (SELECT n.corpus, n.sentence, n.node, n.parent, n.depth FROM constituents AS n) AS b
             ON b.corpus = d.corpus AND b.sentence = d.sentence AND b.node >= d.node
            AND NOT EXISTS (SELECT 1 FROM constituents AS e
                            WHERE e.corpus = d.corpus AND e.sentence = d.sentence AND e.node > d.node
                              AND e.node <= b.node AND e.depth <= d.depth)
           WHERE NOT d.continuous
           GROUP BY d.corpus, d.sentence, d.node) AS g
  ON g.corpus = c.corpus AND g.sentence = c.sentence AND g.node = c.node
UNION ALL
SELECT w.corpus, w.sentence, -2 * w.word AS node, w.phrase AS parent, 'tag' AS kind, w.xpos AS label,
       CASE WHEN k.format IN ('export', 'tigerxml', 'discbracket') THEN w.xpos
            ELSE coalesce(nullif(regexp_extract(w.xpos, '^[^-=]+'), ''), w.xpos) END AS category,
       nullif(regexp_extract(w.misc, '(^|\|)Function=([^|]*)', 2), '') AS edge_label, w.word AS first, w.word AS last,
       1073741824 AS level, w.phrase, CAST(NULL AS INTEGER) AS leave, w.word, w.form, w.lemma, w.feats
FROM words AS w
JOIN corpora AS k ON k.corpus = w.corpus
WHERE k.kind = 'constituency' AND w.xpos IS NOT NULL
UNION ALL
SELECT w.corpus, w.sentence, -2 * w.word - 1 AS node,
       CASE WHEN w.xpos IS NULL THEN w.phrase ELSE -2 * w.word END AS parent, 'word' AS kind, w.form AS label,
       w.form AS category, CAST(NULL AS VARCHAR) AS edge_label, w.word AS first, w.word AS last,
       1073741825 AS level, w.phrase, CAST(NULL AS INTEGER) AS leave, w.word, w.form, w.lemma, w.feats
FROM words AS w
JOIN corpora AS k ON k.corpus = w.corpus
WHERE k.kind = 'constituency'
