-- head_dependencies: the dependencies between words that head rules make of constituents: the head word of every child
--   of a phrase depends on the head word of the phrase; one row per word.
-- kind: relation
-- engine: duckdb: rejects an unknown set of head rules
-- parameters: as head_children
-- column sentence INTEGER: the sentence
-- column word INTEGER: the word
-- column head INTEGER: the word that it depends on, 0 for the first head word of a sentence without a phrase above it
-- column relation VARCHAR: the function of the largest phrase whose head it is, or its own; `root` below no word; `dep`
--   where there is no function
-- source: Lin 1995, A dependency-based method for evaluating broad-coverage parsers
SELECT d.sentence, d.word,
       CASE WHEN d.above IS NOT NULL THEN d.above
            WHEN d.word = d.top THEN 0 ELSE d.top END AS head,
       CASE WHEN d.above IS NULL AND d.word = d.top THEN 'root' ELSE coalesce(nullif(d.function, ''), 'dep') END AS relation
FROM (SELECT w.sentence, w.word, u.word AS above, coalesce(substr(m.functions, 2),
             CASE WHEN m.node IS NULL THEN nullif(regexp_extract(w.misc, '(^|\|)Function=([^|]*)', 2), '') END) AS function,
             min(CASE WHEN u.word IS NULL THEN CASE WHEN m.node IS NULL THEN 1073741824 ELSE 0 END + w.word END)
                 OVER (PARTITION BY w.sentence) % 1073741824 AS top
      FROM words AS w
      LEFT JOIN (SELECT h.sentence, h.word, min(h.node) AS node
                 FROM head_words AS h
                 GROUP BY h.sentence, h.word) AS t
        ON t.sentence = w.sentence AND t.word = w.word
      LEFT JOIN constituents AS m
        ON m.corpus = w.corpus AND m.sentence = w.sentence AND m.node = t.node
      LEFT JOIN head_words AS u
        ON u.sentence = w.sentence AND u.node = CASE WHEN m.node IS NULL THEN w.phrase ELSE m.parent END
      WHERE w.corpus = $tree_corpus AND w.sentence >= $first_sentence AND w.sentence <= $last_sentence) AS d
