-- subcategorisation_frames: the phrases and words beside words of a part of speech, in their phrases; one row per treebank,
--   word and frame.
-- kind: statistic
-- engine: duckdb: regular expressions
-- parameters: as treebank_forms (corpus_name, forms)
-- parameter tags TEXT = ^V: expression that matches a part of the tags of these words
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column unit VARCHAR: the word as written, in lower case, or its lemma
-- column frame VARCHAR: categories of its sisters, tags of words, in the order of their first words; `_` where it stands
-- column words BIGINT: number of its words in this frame
-- source: Manning 1993, Automatic acquisition of a large subcategorization dictionary from corpora
SELECT f.treebank, f.unit, f.frame, CAST(count(*) AS BIGINT) AS words
FROM (SELECT coalesce(k.treebank, k.corpus) AS treebank,
             CASE WHEN $forms = 'lower' AND v.form LIKE '%_Σ'
                  THEN lower(substr(v.form, 1, length(v.form) - 1)) || 'ς'
                  WHEN $forms = 'lower' THEN lower(replace(v.form, 'İ', 'i̇'))
                  WHEN $forms = 'lemma' THEN coalesce(v.lemma, '_') ELSE v.form END AS unit,
             string_agg(CASE WHEN c.node = v.node THEN '_' ELSE coalesce(c.category, '_') END, ' ' ORDER BY c.first)
                 AS frame
      FROM tree_nodes AS v
      JOIN tree_nodes AS c ON c.corpus = v.corpus AND c.sentence = v.sentence AND c.parent = v.parent
      JOIN corpora AS k ON k.corpus = v.corpus
      WHERE v.kind = 'tag' AND regexp_matches(v.label, $tags) AND ($corpus_name = '' OR v.corpus = $corpus_name)
      GROUP BY k.treebank, k.corpus, v.corpus, v.sentence, v.node, v.form, v.lemma) AS f
GROUP BY f.treebank, f.unit, f.frame
ORDER BY f.treebank, words DESC, f.unit, f.frame
