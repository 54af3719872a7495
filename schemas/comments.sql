-- comments: the comment lines of all sentences, with key and value; one row per line.
-- kind: view
-- engine: duckdb: unnests lists of strings
-- column corpus VARCHAR: its corpus
-- column sentence INTEGER: its sentence
-- column position BIGINT: 1-based position among the sentence's comments
-- column comment VARCHAR: the line as written
-- column key VARCHAR: the text before `=`, or the whole comment if there is no `=`
-- column value VARCHAR: the text after `=`; NULL if there is no `=`
-- source: CoNLL-U format, Universal Dependencies
SELECT c.corpus, c.sentence, c.position, c.comment,
       trim(regexp_extract(c.comment, '^#([^=]*)', 1)) AS key,
       CASE WHEN contains(c.comment, '=') THEN trim(regexp_extract(c.comment, '=(.*)$', 1)) END AS value
FROM (SELECT s.corpus, s.sentence, unnest(s.comments) AS comment,
             unnest(generate_series(1, len(s.comments))) AS position
      FROM sentences AS s) AS c
