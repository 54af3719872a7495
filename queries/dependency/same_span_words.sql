-- same_span_words: words of two corpora of the same text that are tokens and cover the same characters; one row per pair.
-- kind: relation
-- parameter gold_corpus TEXT: corpus of the gold trees
-- parameter system_corpus TEXT: corpus of the system's trees
-- column gold_sentence INTEGER: the gold corpus's sentence
-- column gold_word INTEGER: position in it
-- column system_sentence INTEGER: the system's sentence
-- column system_word INTEGER: position in it
-- column same_form BOOLEAN: whether they are the same, white space left out
-- column span_start BIGINT: offset of their first character in the text of the corpora without white space
-- column span_end BIGINT: offset after their last character
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies
SELECT g.sentence AS gold_sentence, g.word AS gold_word, s.sentence AS system_sentence, s.word AS system_word,
       g.form = s.form OR replace(g.form, ' ', '') = replace(s.form, ' ', '') AS same_form,
       g.span_start, g.span_end
FROM words AS g
JOIN words AS s ON s.span_start = g.span_start AND s.span_end = g.span_end
WHERE g.corpus = $gold_corpus AND s.corpus = $system_corpus AND NOT g.multiword AND NOT s.multiword
  AND g.span_end > g.span_start
