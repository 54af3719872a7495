-- tree_correspondence: differences between the sentences and words of two corpora; one row per fault.
-- kind: audit
-- parameters: as attachment (gold_corpus, system_corpus, match)
-- parameter relations TEXT(universal|full) = universal: how relations are compared; has no effect here
-- column file VARCHAR: the file with the fault
-- column line BIGINT: the line in it
-- column problem VARCHAR: what is wrong
-- column hint VARCHAR: how to fix it
-- source: Buchholz & Marsi 2006, CoNLL-X shared task on multilingual dependency parsing (eval.pl, "Word mismatch")
SELECT g.file, g.line,
       'gold sentence ' || coalesce(g.sent_id, CAST(g.sentence + 1 AS VARCHAR)) || ' has no counterpart in '
           || $system_corpus AS problem,
       'give both sides the same sentences, by order or by sent_id; plain scores and --conll18 alone align words' AS hint
FROM sentences AS g
WHERE g.corpus = $gold_corpus
  AND NOT EXISTS (SELECT 1 FROM sentence_pairs AS p WHERE p.gold_sentence = g.sentence)
UNION ALL
SELECT s.file, s.line,
       'sentence ' || coalesce(s.sent_id, CAST(s.sentence + 1 AS VARCHAR)) || ' of ' || $system_corpus
           || ' has no counterpart among the gold sentences' AS problem,
       'give both sides the same sentences, by order or by sent_id; plain scores and --conll18 alone align words' AS hint
FROM sentences AS s
WHERE s.corpus = $system_corpus
  AND NOT EXISTS (SELECT 1 FROM sentence_pairs AS p WHERE p.system_sentence = s.sentence)
UNION ALL
SELECT d.file, d.line,
       CAST(r.repeats AS VARCHAR) || ' sentences have the sent_id ' || d.sent_id || ', so their correspondence is ambiguous'
           AS problem,
       'make every sent_id unique, or let sentences correspond by order' AS hint
FROM (SELECT x.corpus, x.sent_id, min(x.sentence) AS sentence, count(*) AS repeats
      FROM sentences AS x
      WHERE (x.corpus = $gold_corpus OR x.corpus = $system_corpus) AND $match = 'sent_id' AND x.sent_id IS NOT NULL
      GROUP BY x.corpus, x.sent_id) AS r
JOIN sentences AS d ON d.corpus = r.corpus AND d.sentence = r.sentence
WHERE r.repeats > 1 AND (d.corpus = $gold_corpus OR d.corpus = $system_corpus)
UNION ALL
SELECT s.file, s.line,
       'this sentence has ' || CAST(s.n_words AS VARCHAR) || ' words, the gold sentence at ' || g.file || ':'
           || CAST(g.line AS VARCHAR) || ' has ' || CAST(g.n_words AS VARCHAR) AS problem,
       'give both sides the same words; differing words are aligned in plain scores and --conll18 alone' AS hint
FROM sentence_pairs AS p
JOIN sentences AS g ON g.sentence = p.gold_sentence
JOIN sentences AS s ON s.sentence = p.system_sentence
WHERE g.corpus = $gold_corpus AND s.corpus = $system_corpus AND s.n_words <> g.n_words
UNION ALL
SELECT t.file, s.line,
       'word ' || CAST(p.word AS VARCHAR) || ' is `' || s.form || '`, in the gold sentence `' || p.form || '`' AS problem,
       'give both sides the same words; differing words are aligned in plain scores and --conll18 alone' AS hint
FROM word_pairs AS p
JOIN words AS s ON s.sentence = p.system_sentence AND s.word = p.word
JOIN sentences AS t ON t.corpus = s.corpus AND t.sentence = s.sentence
WHERE s.corpus = $system_corpus AND t.corpus = $system_corpus AND NOT p.same_form
