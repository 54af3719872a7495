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
       CASE WHEN $match = 'order' OR g.sent_id IS NOT NULL
            THEN 'gold sentence ' || coalesce(g.sent_id, CAST(g.sentence + 1 AS VARCHAR)) || ' has no counterpart in '
                || $system_corpus || CASE WHEN $match = 'order' THEN '' ELSE ', where no sentence has its sent_id' END
            ELSE 'gold sentence ' || CAST(g.sentence + 1 AS VARCHAR) || ' has no sent_id' END AS problem,
       CASE WHEN $match = 'order'
            THEN 'give both sides the same sentences'
            ELSE 'give corresponding sentences the same sent_id, or match them by order (--match order)' END AS hint
FROM sentences AS g
CROSS JOIN (SELECT count(*) AS repeated FROM repeated_sent_ids AS r) AS k
WHERE g.corpus = $gold_corpus AND k.repeated = 0
  AND NOT EXISTS (SELECT 1 FROM sentence_pairs AS p WHERE p.gold_sentence = g.sentence)
UNION ALL
SELECT s.file, s.line,
       CASE WHEN $match = 'order' OR s.sent_id IS NOT NULL
            THEN 'sentence ' || coalesce(s.sent_id, CAST(s.sentence + 1 AS VARCHAR)) || ' of ' || $system_corpus
                || ' has no counterpart among the gold sentences'
                || CASE WHEN $match = 'order' THEN '' ELSE ', of which none has its sent_id' END
            ELSE 'sentence ' || CAST(s.sentence + 1 AS VARCHAR) || ' of ' || $system_corpus || ' has no sent_id' END AS problem,
       CASE WHEN $match = 'order'
            THEN 'give both sides the same sentences'
            ELSE 'give corresponding sentences the same sent_id, or match them by order (--match order)' END AS hint
FROM sentences AS s
CROSS JOIN (SELECT count(*) AS repeated FROM repeated_sent_ids AS r) AS k
WHERE s.corpus = $system_corpus AND k.repeated = 0
  AND NOT EXISTS (SELECT 1 FROM sentence_pairs AS p WHERE p.system_sentence = s.sentence)
UNION ALL
SELECT r.file, r.line,
       CAST(r.repeats AS VARCHAR) || ' sentences of ' || r.corpus || ' have the sent_id ' || r.sent_id
           || ', so that sentences cannot be matched by it' AS problem,
       'make every sent_id unique, or match sentences by order (--match order)' AS hint
FROM repeated_sent_ids AS r
UNION ALL
SELECT s.file, s.line,
       'this sentence has ' || CAST(s.n_words AS VARCHAR) || ' words, the gold sentence at ' || g.file || ':'
           || CAST(g.line AS VARCHAR) || ' has ' || CAST(g.n_words AS VARCHAR) AS problem,
       'give both sides the same words; those that differ are aligned where sentences correspond by their order' AS hint
FROM sentence_pairs AS p
JOIN sentences AS g ON g.sentence = p.gold_sentence
JOIN sentences AS s ON s.sentence = p.system_sentence
CROSS JOIN (SELECT count(*) AS repeated FROM repeated_sent_ids AS r) AS k
WHERE g.corpus = $gold_corpus AND s.corpus = $system_corpus AND s.n_words <> g.n_words AND k.repeated = 0
UNION ALL
SELECT t.file, s.line,
       'word ' || CAST(p.word AS VARCHAR) || ' is `' || p.system_form || '`, in the gold sentence `' || p.form || '`' AS problem,
       'give both sides the same words; those that differ are aligned where sentences correspond by their order' AS hint
FROM word_pairs AS p
JOIN words AS s ON s.sentence = p.system_sentence AND s.word = p.system_word
JOIN sentences AS t ON t.corpus = s.corpus AND t.sentence = s.sentence
CROSS JOIN (SELECT count(*) AS repeated FROM repeated_sent_ids AS r) AS k
WHERE s.corpus = $system_corpus AND t.corpus = $system_corpus AND p.form <> p.system_form AND p.by_characters = 0
  AND k.repeated = 0
