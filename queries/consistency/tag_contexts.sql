-- tag_contexts: how often a word has a tag between the same neighbours; one row per word, neighbours and tag, of words that
--   have several tags there.
-- kind: relation
-- parameters: as variation_tags
-- audit missing_lemmas
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column before VARCHAR: the word before, `.S` at the start of a sentence
-- column form VARCHAR: the word
-- column after VARCHAR: the word after, `.E` at the end of a sentence
-- column tag VARCHAR: one of its tags there
-- column words BIGINT: number of words with this tag there
-- column sent_id VARCHAR: sentence of one of them, the first by length of sent_id and by sent_id
-- column word INTEGER: its position
-- column tags_there BIGINT: number of tags of the word there
-- column all_words BIGINT: number of words there
-- source: Dickinson & Meurers 2003, Detecting errors in part-of-speech annotation
SELECT g.treebank, g.before, g.form, g.after, g.tag, g.words, g.sent_id, g.word,
       count(*) OVER (PARTITION BY g.treebank, g.before, g.form, g.after) AS tags_there,
       CAST(sum(g.words) OVER (PARTITION BY g.treebank, g.before, g.form, g.after) AS BIGINT) AS all_words
FROM (SELECT n.treebank, n.before, n.form, n.after, n.tag, CAST(count(*) AS BIGINT) AS words,
             max(CASE WHEN n.place = 1 THEN n.sent_id END) AS sent_id, max(CASE WHEN n.place = 1 THEN n.word END) AS word
      FROM (SELECT w.treebank, coalesce(b.unit, '.S') AS before, w.unit AS form, coalesce(a.unit, '.E') AS after,
                   CASE WHEN $tagset = 'upos' THEN w.upos ELSE w.xpos END AS tag, w.sent_id, w.word,
                   row_number() OVER (PARTITION BY w.treebank, coalesce(b.unit, '.S'), w.unit, coalesce(a.unit, '.E'),
                                                   CASE WHEN $tagset = 'upos' THEN w.upos ELSE w.xpos END
                                      ORDER BY length(w.sent_id), w.sent_id, w.corpus, w.word) AS place
            FROM checked_words AS w
            JOIN (SELECT v.treebank, v.unit
                  FROM checked_words AS v
                  GROUP BY v.treebank, v.unit
                  HAVING min(CASE WHEN $tagset = 'upos' THEN v.upos ELSE v.xpos END)
                         < max(CASE WHEN $tagset = 'upos' THEN v.upos ELSE v.xpos END)) AS m
                ON m.treebank = w.treebank AND m.unit = w.unit
            LEFT JOIN checked_words AS b ON b.corpus = w.corpus AND b.sentence = w.sentence AND b.word = w.word - 1
            LEFT JOIN checked_words AS a ON a.corpus = w.corpus AND a.sentence = w.sentence AND a.word = w.word + 1) AS n
      GROUP BY n.treebank, n.before, n.form, n.after, n.tag) AS g
