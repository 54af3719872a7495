-- error_words: words at which a system errs; one row per form and part of speech with at least one error.
-- kind: statistic
-- parameter gold_corpus TEXT: corpus of the gold trees
-- parameter system_corpus TEXT: corpus of the system's trees
-- parameter match TEXT(order|sent_id) = order: which sentences correspond, those of the same rank or those of the same sent_id
-- parameter punctuation TEXT(all|form|relation) = all: which words are scored; form leaves out words
--   all of whose characters are of Unicode category P, relation those with deprel punct or upos PUNCT in the gold tree
-- parameter relations TEXT(universal|full) = universal: whether relations are compared up to the
--   first `:` or whole
-- audit tree_correspondence
-- audit unparsed_gold
-- column form VARCHAR: the word
-- column upos VARCHAR: its gold part of speech
-- column words BIGINT: how often it is scored
-- column errors BIGINT: how many of them have a wrong head or a wrong relation
-- column head_errors BIGINT: how many of them have a wrong head
-- column relation_errors BIGINT: how many of them have a wrong relation
-- column both_errors BIGINT: how many of them have both wrong
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
