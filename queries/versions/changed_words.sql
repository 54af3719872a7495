-- changed_words: changes between two versions of a treebank, in the order of the old one; one row per sentence, word,
--   multiword token or empty node and column that changed, per sentence that only one version has, and per such word, token
--   or node of the other sentences.
-- kind: statistic
-- engine: kernel: version_words
-- parameters: as version_sentences
-- parameters: as version_comment_values (compared_comments)
-- parameter changed_column TEXT(any|sentence|text|newdoc|newpar|comments|word|form|lemma|upos|xpos|feats|head|deprel|deps|
--   misc|further_columns|range|range_words|range_form|range_lemma|range_upos|range_xpos|range_feats|range_misc|
--   range_further_columns|empty_node|empty_form|empty_lemma|empty_upos|empty_xpos|empty_feats|empty_deps|empty_misc|
--   empty_further_columns) = any: the column whose changes are listed; sentence, word, range (a multiword token) and
--   empty_node for those that only one version has
-- column sent_id VARCHAR: sent_id of the sentence in the old version, else in the new one; else its 0-based number
-- column old_word INTEGER: position of the word in the old version, of the first word of a multiword token, or of the word that
--   an empty node follows; NULL where it has none, and for sentences
-- column new_word INTEGER: position in the new version, likewise
-- column form VARCHAR: the word in the old version, else in the new one; a multiword token as `3-4 FORM`, an empty node as
--   `4.1 FORM`; NULL for sentences
-- column column VARCHAR: the column, as version_agreement names it
-- column old VARCHAR: value in the old version, as marked_text writes it, `_` where it is unspecified; of head, position and
--   form; the text of a sentence, the form of a word, token or node; NULL where the old version has none
-- column new VARCHAR: value in the new version, likewise
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format
SELECT r.sent_id, r.old_word, r.new_word, r.form, r.name AS column, marked_text(r.old, r.new) AS old,
       marked_text(r.new, r.old) AS new
FROM (SELECT coalesce(o.sent_id, n.sent_id, CAST(coalesce(c.old_sentence, c.new_sentence) AS VARCHAR)) AS sent_id,
             c.old_word, c.new_word, c.form, c.name, c.number,
             CASE WHEN c.name <> 'sentence' THEN c.old_value ELSE array_to_string(t.word_forms, ' ') END AS old,
             CASE WHEN c.name <> 'sentence' THEN c.new_value ELSE array_to_string(u.word_forms, ' ') END AS new,
             coalesce(c.old_sentence, q.old_sentence, c.new_sentence) AS sentence,
             CASE WHEN c.old_sentence IS NULL AND q.old_sentence IS NULL THEN 1 ELSE 0 END AS only_new,
             coalesce(c.old_word, c.new_word, 0) AS word, CASE WHEN c.old_word IS NULL THEN 1 ELSE 0 END AS added
      FROM (SELECT v.old_sentence, v.old_word, v.new_sentence, v.new_word, v.form, v.column_number AS number,
                   v.column_name AS name, v.old_value, v.new_value
            FROM version_values AS v
            WHERE v.same_value = 0
            UNION ALL
            SELECT x.old_sentence, x.old_word, x.new_sentence, x.new_word, x.form,
                   CASE x.unit WHEN 'sentence' THEN 0 WHEN 'word' THEN 10 WHEN 'range' THEN 40 ELSE 60 END, x.unit,
                   CASE WHEN x.only_old = 1 THEN x.form END, CASE WHEN x.only_new = 1 THEN x.form END
            FROM version_units AS x
            LEFT JOIN version_sentences AS a ON a.old_sentence = x.old_sentence
            LEFT JOIN version_sentences AS b ON b.new_sentence = x.new_sentence
            WHERE x.only_old + x.only_new = 1
              AND (x.unit = 'sentence' OR a.old_sentence IS NOT NULL OR b.new_sentence IS NOT NULL)) AS c
      LEFT JOIN version_sentences AS p ON p.old_sentence = c.old_sentence
      LEFT JOIN version_sentences AS q ON q.new_sentence = c.new_sentence
      LEFT JOIN sentences AS o ON o.corpus = $old_corpus AND o.sentence = coalesce(c.old_sentence, q.old_sentence)
      LEFT JOIN sentences AS n ON n.corpus = $new_corpus AND n.sentence = coalesce(c.new_sentence, p.new_sentence)
      LEFT JOIN version_texts(side_corpus := $old_corpus) AS t ON t.sentence = c.old_sentence AND c.name = 'sentence'
      LEFT JOIN version_texts(side_corpus := $new_corpus) AS u ON u.sentence = c.new_sentence AND c.name = 'sentence'
      WHERE $changed_column = 'any' OR c.name = $changed_column) AS r
ORDER BY r.sentence, r.only_new, r.word, r.added, r.number
