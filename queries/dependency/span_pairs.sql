-- span_pairs: the words of two corpora of the same text, paired where they are tokens and cover the same characters;
--   one row per pair, and per word of either side without such a counterpart.
-- kind: relation
-- engine: duckdb: a full join, which takes one pass where unions of joins take three
-- parameters: as attachment (gold_corpus, system_corpus)
-- column gold_sentence INTEGER: the gold corpus's sentence; NULL where there is no such word
-- column gold_word INTEGER: position in it
-- column gold_form VARCHAR: the word
-- column gold_multiword BOOLEAN: whether it is part of a multiword token
-- column gold_span_start BIGINT: offset of its first character in the text without white space
-- column gold_span_end BIGINT: offset after its last character
-- column gold_line BIGINT: line in the file of its sentence
-- column system_sentence INTEGER: the system's sentence; NULL where there is no such word
-- column system_word INTEGER: position in it
-- column system_form VARCHAR: the word
-- column system_multiword BOOLEAN: whether it is part of a multiword token
-- column system_span_start BIGINT: offset of its first character in the text without white space
-- column system_span_end BIGINT: offset after its last character
-- column system_line BIGINT: line in the file of its sentence
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies
SELECT g.sentence AS gold_sentence, g.word AS gold_word, g.form AS gold_form, g.multiword AS gold_multiword,
       g.span_start AS gold_span_start, g.span_end AS gold_span_end, g.line AS gold_line,
       s.sentence AS system_sentence, s.word AS system_word, s.form AS system_form, s.multiword AS system_multiword,
       s.span_start AS system_span_start, s.span_end AS system_span_end, s.line AS system_line
FROM (SELECT w.sentence, w.word, w.form, w.multiword, w.span_start, w.span_end, w.line,
             CASE WHEN w.span_end > w.span_start AND NOT w.multiword THEN w.span_start END AS token_start
      FROM words AS w
      WHERE w.corpus = $gold_corpus) AS g
FULL JOIN (SELECT w.sentence, w.word, w.form, w.multiword, w.span_start, w.span_end, w.line,
                  CASE WHEN w.span_end > w.span_start AND NOT w.multiword THEN w.span_start END AS token_start
           FROM words AS w
           WHERE w.corpus = $system_corpus) AS s
    ON s.token_start = g.token_start AND s.span_end = g.span_end
