-- frames_of_words: the relations of the dependents of words of a part of speech; one row per word.
-- kind: relation
-- engine: duckdb: regular expressions
-- parameters: as dependency_frames (corpus_name, word_tags, frame_relations, order, case, by)
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus; with `language` the language
-- column lemma VARCHAR: its lemma, NULL unless groups are by it
-- column frame VARCHAR: relations of the dependents, by name or in their order; `-` for none
-- column corpus VARCHAR: the corpus
-- column sentence INTEGER: the sentence
-- column sent_id VARCHAR: its sent_id, or else its 0-based number
-- column word INTEGER: position of the word
-- source: Manning 1993, Automatic acquisition of a large subcategorization dictionary from corpora
SELECT CASE WHEN $by = 'language' THEN coalesce(k.language, k.treebank, k.corpus)
            ELSE coalesce(k.treebank, k.corpus) END AS treebank,
       CASE WHEN $by = 'lemma' THEN coalesce(v.lemma, '_') END AS lemma,
       coalesce(nullif(CASE WHEN $order = 'yes'
                            THEN string_agg(d.name, ' ' ORDER BY d.place) ELSE string_agg(d.name, ' ' ORDER BY d.name, d.place)
                            END, ''), '-') AS frame,
       v.corpus, v.sentence, coalesce(s.sent_id, CAST(s.sentence AS VARCHAR)) AS sent_id, v.word
FROM words AS v
JOIN sentences AS s ON s.corpus = v.corpus AND s.sentence = v.sentence
JOIN corpora AS k ON k.corpus = v.corpus
LEFT JOIN (SELECT w.corpus, w.sentence, w.head, w.word AS place,
                  w.udeprel || CASE WHEN $case = 'yes' THEN coalesce(':' || c.forms, '') ELSE '' END AS name
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
                                                     ELSE replace($frame_relations, ' ', '') END, ','), w.udeprel))
           UNION ALL
           SELECT o.corpus, o.sentence, o.word AS head, o.word AS place, '_' AS name
           FROM words AS o
           WHERE $order = 'yes' AND o.head IS NOT NULL AND ($corpus_name = '' OR o.corpus = $corpus_name)) AS d
  ON d.corpus = v.corpus AND d.sentence = v.sentence AND d.head = v.word
WHERE v.head IS NOT NULL AND regexp_matches(coalesce(v.upos, v.xpos), $word_tags)
  AND ($corpus_name = '' OR v.corpus = $corpus_name)
GROUP BY k.language, k.treebank, k.corpus, v.lemma, v.corpus, v.sentence, s.sent_id, s.sentence, v.word
