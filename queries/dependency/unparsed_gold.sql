-- unparsed_gold: gold sentences without a tree; one row per sentence.
-- kind: audit
-- parameters: as attachment (gold_corpus)
-- column file VARCHAR: its file
-- column line BIGINT: its first line
-- column problem VARCHAR: what is wrong
-- column hint VARCHAR: how to fix it
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format, column HEAD
SELECT g.file, g.line, 'this gold sentence is not parsed, every HEAD is `_`' AS problem,
       'score against parsed sentences' AS hint
FROM sentences AS g
JOIN words AS w ON w.corpus = g.corpus AND w.sentence = g.sentence
WHERE g.corpus = $gold_corpus AND w.corpus = $gold_corpus AND w.word = 1 AND w.head IS NULL
