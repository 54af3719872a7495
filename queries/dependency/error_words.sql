-- error_words: words that a system gets wrong; one row per form and part of speech with at least one error.
-- kind: statistic
-- parameter gold_corpus TEXT: corpus of the gold trees
-- parameter system_corpus TEXT: corpus of the system's trees
-- parameter match TEXT(order|sent_id) = order: how sentences correspond: by position in the corpus, or by sent_id
-- parameter punctuation TEXT(all|form|relation) = all: which words are scored: all; form, without words that consist of
--   characters of Unicode category P; relation, without words with deprel punct or upos PUNCT in the gold tree
-- parameter relations TEXT(universal|full) = universal: how relations are compared: universal, up to the first `:`;
--   full, with subtypes
-- audit tree_correspondence
-- audit unparsed_gold
-- column form VARCHAR: the word
-- column upos VARCHAR: its gold part of speech
-- column words BIGINT: number of times it is scored
-- column errors BIGINT: number of them with a wrong head or a wrong relation
-- column head_errors BIGINT: number of them with a wrong head
-- column relation_errors BIGINT: number of them with a wrong relation
-- column both_errors BIGINT: number of them with both wrong
-- source: Buchholz & Marsi 2006, CoNLL-X shared task (eval.pl); CoNLL-2007 shared task (eval07.pl), focus
--   words where most of the errors occur
SELECT t.form, t.upos, t.words, t.errors, t.head_errors, t.relation_errors, t.both_errors
FROM (SELECT a.form, a.upos, CAST(sum(a.words) AS BIGINT) AS words,
             CAST(sum(1 - a.correct_edge) AS BIGINT) AS errors,
             CAST(sum(1 - a.correct_head) AS BIGINT) AS head_errors,
             CAST(sum(1 - a.correct_relation) AS BIGINT) AS relation_errors,
             CAST(sum((1 - a.correct_head) * (1 - a.correct_relation)) AS BIGINT) AS both_errors
      FROM attachment AS a
      GROUP BY a.form, a.upos) AS t
WHERE t.errors > 0
ORDER BY t.errors DESC, t.form, t.upos
