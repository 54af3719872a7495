-- text_correspondence: the first difference between the texts of two corpora, ignoring white space; one row if they
--   differ.
-- kind: audit
-- engine: duckdb: unmatched_text
-- parameters: as attachment (gold_corpus, system_corpus)
-- column file VARCHAR: the system's file
-- column line BIGINT: the line in it
-- column problem VARCHAR: what is wrong
-- column hint VARCHAR: how to fix it
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies
SELECT coalesce(t.file, h.file) AS file, coalesce(d.system_line, d.gold_line) AS line,
       'the texts part here: '
           || coalesce('`' || substring(d.system_text, 1 + d.alike, 30) || '`', 'the system''s text has ended')
           || ' where '
           || coalesce('the gold text has `' || substring(d.gold_text, 1 + d.alike, 30) || '` (' || h.file || ':'
                           || CAST(d.gold_line AS VARCHAR) || ')', 'the gold text has ended') AS problem,
       'give both sides the same text; only tokens, words and sentences may differ' AS hint
FROM (SELECT g.sentence AS gold_sentence, g.line AS gold_line, g.stretch AS gold_text,
             s.sentence AS system_sentence, s.line AS system_line, s.stretch AS system_text,
             coalesce(list_max(list_filter(range(0, 4000, 10),
                 lambda n: n < least(length(g.stretch), length(s.stretch))
                           AND substring(g.stretch, 1, n) = substring(s.stretch, 1, n))), 0) AS alike
      FROM (SELECT u.span_start, u.stretch, u.sentence, u.line FROM unmatched_text AS u WHERE u.side = 'gold') AS g
      FULL JOIN (SELECT u.span_start, u.stretch, u.sentence, u.line
                 FROM unmatched_text AS u WHERE u.side = 'system') AS s ON s.span_start = g.span_start
      WHERE coalesce(g.stretch, '') <> coalesce(s.stretch, '')
      ORDER BY coalesce(g.span_start, s.span_start)
      LIMIT 1) AS d
LEFT JOIN sentences AS h ON h.corpus = $gold_corpus AND h.sentence = d.gold_sentence
LEFT JOIN sentences AS t ON t.corpus = $system_corpus AND t.sentence = d.system_sentence
