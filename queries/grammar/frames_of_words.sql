-- frames_of_words: the relations of the dependents of words of a part of speech; one row per word.
-- kind: relation
-- engine: duckdb: regular expressions
-- parameters: as dependency_frames (corpus_name, word_tags, of_lemma, frame_relations, in_order, with_case, grouped_by)
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus; with `language` the language
-- column lemma VARCHAR: its lemma, NULL unless groups are by it
-- column frame VARCHAR: relations of the dependents, by name or in their order; `-` for none
-- column corpus VARCHAR: the corpus
-- column sentence INTEGER: the sentence
-- column sent_id VARCHAR: its sent_id, or else its 0-based number
-- column word INTEGER: position of the word
-- source: Manning 1993, Automatic acquisition of a large subcategorization dictionary from corpora
SELECT v.treebank, v.lemma, coalesce(string_agg(d.name, ' ' ORDER BY d.sorted_by, d.place), '-') AS frame,
       v.corpus, v.sentence, v.sent_id, v.word
FROM (SELECT CASE WHEN $grouped_by = 'language' THEN coalesce(k.language, k.treebank, k.corpus)
                  ELSE coalesce(k.treebank, k.corpus) END AS treebank,
             CASE WHEN $grouped_by = 'lemma' THEN coalesce(o.lemma, '_') END AS lemma,
             o.corpus, o.sentence, coalesce(s.sent_id, CAST(s.sentence AS VARCHAR)) AS sent_id, o.word
      FROM words AS o
      JOIN sentences AS s ON s.corpus = o.corpus AND s.sentence = o.sentence
      JOIN corpora AS k ON k.corpus = o.corpus
      WHERE o.head IS NOT NULL AND regexp_matches(coalesce(o.upos, o.xpos), $word_tags)
        AND ($of_lemma = '' OR o.lemma = $of_lemma)
        AND ($corpus_name = '' OR o.corpus = $corpus_name)) AS v
LEFT JOIN (SELECT n.corpus, n.sentence, n.head, n.place, n.name,
                  CASE WHEN $in_order = 'yes' THEN '' ELSE n.name END AS sorted_by
           FROM (SELECT w.corpus, w.sentence, w.head, w.word AS place,
                        w.udeprel || CASE WHEN $with_case = 'yes'
                                          THEN coalesce(':' || c.forms, '')
                                               || coalesce(':' || lower(feature(w.feats, 'Case')), '')
                                          ELSE '' END AS name
                 FROM words AS w
                 LEFT JOIN (SELECT m.corpus, m.sentence, m.head,
                                   string_agg(lower(m.form), '_' ORDER BY m.word) AS forms
                            FROM words AS m
                            WHERE m.udeprel = 'case' AND ($corpus_name = '' OR m.corpus = $corpus_name)
                            GROUP BY m.corpus, m.sentence, m.head) AS c
                   ON c.corpus = w.corpus AND c.sentence = w.sentence AND c.head = w.word
                 WHERE w.head > 0 AND ($corpus_name = '' OR w.corpus = $corpus_name)
                   AND ($frame_relations = 'all'
                        OR list_contains(string_split(CASE WHEN $frame_relations = 'core'
                                                           THEN 'nsubj,csubj,obj,iobj,ccomp,xcomp'
                                                           ELSE replace($frame_relations, ' ', '') END, ','),
                                         w.udeprel))
                 UNION ALL
                 SELECT u.corpus, u.sentence, u.word AS head, u.word AS place, '_' AS name
                 FROM words AS u
                 WHERE $in_order = 'yes' AND u.head IS NOT NULL
                   AND ($corpus_name = '' OR u.corpus = $corpus_name)) AS n) AS d
  ON d.corpus = v.corpus AND d.sentence = v.sentence AND d.head = v.word
GROUP BY v.treebank, v.lemma, v.corpus, v.sentence, v.sent_id, v.word
