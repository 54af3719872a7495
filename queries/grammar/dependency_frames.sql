-- dependency_frames: the relations of the dependents of words of a part of speech; one row per treebank and frame, or per
--   group of words.
-- kind: statistic
-- engine: duckdb: regular expressions
-- parameters: as treebank_forms (corpus_name)
-- parameter word_tags TEXT = ^V: expression that matches a part of the part of speech of these words, upos or else xpos
-- parameter of_lemma TEXT = : lemma of these words; all if empty
-- parameter frame_relations TEXT = core: universal relations that count, separated by commas; core: nsubj, csubj, obj,
--   iobj, ccomp, xcomp; all: all
-- parameter in_order TEXT(no|yes) = no: whether dependents stand in the order of the text, with `_` for the word
-- parameter with_case TEXT(no|yes) = no: whether a relation has the forms of the dependent's case markers behind it, and its
--   feature Case, in lower case, as in obj:acc and obl:auf:dat
-- parameter grouped_by TEXT(treebank|lemma|language) = treebank: groups of words: those of a treebank or language, or in a
--   treebank those of a lemma
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus; with `language` the language
-- column lemma VARCHAR: lemma of the words, NULL unless groups are by it
-- column frame VARCHAR: relations of the dependents, by name or in their order; `-` for none
-- column words BIGINT: number of words with this frame
-- column share DOUBLE: their part of the words of the group
-- column sent_id VARCHAR: sentence of the first one: its sent_id, or else its 0-based number
-- column word INTEGER: its position
-- source: Manning 1993, Automatic acquisition of a large subcategorization dictionary from corpora; de Marneffe et al.
--   2021, Universal Dependencies (core arguments)
SELECT n.treebank, n.lemma, n.frame, n.words,
       CAST(n.words AS DOUBLE) / sum(n.words) OVER (PARTITION BY n.treebank, n.lemma) AS share, n.sent_id, n.word
FROM (SELECT p.treebank, p.lemma, p.frame, CAST(count(*) AS BIGINT) AS words,
             max(CASE WHEN p.number = 1 THEN p.sent_id END) AS sent_id,
             max(CASE WHEN p.number = 1 THEN p.word END) AS word
      FROM (SELECT f.treebank, f.lemma, f.frame, f.sent_id, f.word,
                   row_number() OVER (PARTITION BY f.treebank, f.lemma, f.frame ORDER BY f.corpus, f.sentence, f.word)
                       AS number
            FROM frames_of_words AS f) AS p
      GROUP BY p.treebank, p.lemma, p.frame) AS n
ORDER BY n.treebank, n.lemma, n.words DESC, n.frame
