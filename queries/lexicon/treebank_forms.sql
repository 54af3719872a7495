-- treebank_forms: frequency of every form with every universal relation; one row per treebank, relation and form.
-- kind: relation
-- parameter corpus_name TEXT = : the only corpus to read; all treebanks if empty
-- parameter forms TEXT(form|lower|lemma) = form: what a form is: the word as written, in lower case, or its lemma
-- audit missing_lemmas
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column relation VARCHAR: universal relation; NULL where it is unspecified
-- column form VARCHAR: the form
-- count words BIGINT: number of its words with this relation
-- source: on cross-linguistic parser evaluation with Universal Dependencies 1.2 (unpublished draft), section 4.2: p(w|r,t)
SELECT f.treebank, f.relation, f.form, CAST(sum(f.words) AS BIGINT) AS words
FROM (SELECT coalesce(c.treebank, c.corpus) AS treebank, split_part(d.deprel, ':', 1) AS relation, d.form, d.words
      FROM (SELECT l.corpus, l.deprel, l.form, count(*) AS words
            FROM (SELECT w.corpus, w.deprel,
                         CASE WHEN $forms = 'lower' AND w.form LIKE '%_Σ'
                              THEN lower(substr(w.form, 1, length(w.form) - 1)) || 'ς'
                              WHEN $forms = 'lower' THEN lower(replace(w.form, 'İ', 'i̇'))
                              WHEN $forms = 'lemma' THEN coalesce(w.lemma, '_') ELSE w.form END AS form
                  FROM words AS w
                  WHERE $corpus_name = '' OR w.corpus = $corpus_name) AS l
            GROUP BY l.corpus, l.deprel, l.form) AS d
      JOIN corpora AS c ON c.corpus = d.corpus) AS f
GROUP BY f.treebank, f.relation, f.form
