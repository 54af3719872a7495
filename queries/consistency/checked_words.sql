-- checked_words: the words of treebanks with the names by which examples are found; one row per word.
-- kind: relation
-- parameters: as treebank_forms (corpus_name, forms)
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column corpus VARCHAR: its corpus
-- column sentence INTEGER: its sentence
-- column sent_id VARCHAR: the sentence's sent_id, or else its 0-based number
-- column word INTEGER: position in the sentence
-- column unit VARCHAR: the word as written, in lower case, or its lemma
-- column form VARCHAR: the word as written
-- column upos VARCHAR: part of speech, `_` where it is unspecified
-- column xpos VARCHAR: the treebank's own part of speech, `_` where it is unspecified
-- column head INTEGER: position of the head
-- column deprel VARCHAR: relation, `_` where it is unspecified
-- column punctuation BOOLEAN: whether every character of the form is of Unicode category P
-- column projective BOOLEAN: whether every word between the word and its head is dominated by the head
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format
SELECT coalesce(c.treebank, c.corpus) AS treebank, w.corpus, w.sentence,
       coalesce(s.sent_id, CAST(w.sentence AS VARCHAR)) AS sent_id, w.word,
       CASE WHEN $forms = 'lower' AND w.form LIKE '%_Σ' THEN lower(substr(w.form, 1, length(w.form) - 1)) || 'ς'
            WHEN $forms = 'lower' THEN lower(replace(w.form, 'İ', 'i̇'))
            WHEN $forms = 'lemma' THEN coalesce(w.lemma, '_') ELSE w.form END AS unit,
       w.form, coalesce(w.upos, '_') AS upos, coalesce(w.xpos, '_') AS xpos, w.head, coalesce(w.deprel, '_') AS deprel,
       w.punctuation, w.projective
FROM words AS w
JOIN sentences AS s ON s.corpus = w.corpus AND s.sentence = w.sentence
JOIN corpora AS c ON c.corpus = w.corpus
WHERE $corpus_name = '' OR w.corpus = $corpus_name
