-- subcategorisation_frames: the phrases and words beside words of a part of speech, in their phrases; one row per treebank,
--   word and frame.
-- kind: statistic
-- engine: duckdb: regular expressions
-- parameters: as treebank_forms (corpus_name, forms)
-- parameter word_tags TEXT = ^V: expression that matches a part of the tags of these words
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column unit VARCHAR: the word as written, in lower case, or its lemma
-- column frame VARCHAR: categories of its sisters, tags of words, in the order of their first words; `_` where it stands
-- column words BIGINT: number of its words in this frame
-- source: Manning 1993, Automatic acquisition of a large subcategorization dictionary from corpora
SELECT f.treebank, f.unit, f.frame, CAST(count(*) AS BIGINT) AS words
FROM (SELECT v.treebank, v.unit,
             string_agg(CASE WHEN c.node = v.node THEN '_' ELSE coalesce(c.category, '_') END, ' ' ORDER BY c.first)
                 AS frame
      FROM (SELECT coalesce(k.treebank, k.corpus) AS treebank, t.corpus, t.sentence, t.node, t.parent,
                   CASE WHEN $forms = 'lower' AND t.form LIKE '%_Σ'
                        THEN lower(substr(t.form, 1, length(t.form) - 1)) || 'ς'
                        WHEN $forms = 'lower' THEN lower(replace(t.form, 'İ', 'i̇'))
                        WHEN $forms = 'lemma' THEN coalesce(t.lemma, '_') ELSE t.form END AS unit
            FROM tree_nodes AS t
            JOIN corpora AS k ON k.corpus = t.corpus
            WHERE t.kind = 'tag' AND regexp_matches(t.label, $word_tags)
              AND ($corpus_name = '' OR t.corpus = $corpus_name)) AS v
      JOIN tree_nodes AS c ON c.corpus = v.corpus AND c.sentence = v.sentence AND c.parent = v.parent
      GROUP BY v.treebank, v.corpus, v.sentence, v.node, v.unit) AS f
GROUP BY f.treebank, f.unit, f.frame
ORDER BY f.treebank, words DESC, f.unit, f.frame
