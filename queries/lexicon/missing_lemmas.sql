-- missing_lemmas: corpora without any lemma, where lemmas are requested; one row per corpus.
-- kind: audit
-- parameters: as treebank_forms (corpus_name)
-- parameter forms TEXT(form|lower|lemma) = form: what a form is
-- column file VARCHAR: the corpus's first file
-- column line BIGINT: its first line
-- column problem VARCHAR: what is wrong
-- column hint VARCHAR: how to fix it
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format, column LEMMA
SELECT s.file, s.line, 'no word of ' || m.corpus || ' has a lemma' AS problem,
       'count forms instead of lemmas, or leave this corpus out' AS hint
FROM (SELECT w.corpus, count(w.lemma) AS lemmas
      FROM words AS w
      WHERE $forms = 'lemma' AND ($corpus_name = '' OR w.corpus = $corpus_name)
      GROUP BY w.corpus) AS m
JOIN sentences AS s ON s.corpus = m.corpus
WHERE m.lemmas = 0 AND s.sentence = 0
