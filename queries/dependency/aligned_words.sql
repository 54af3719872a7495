-- aligned_words: which words of two corpora of the same text correspond, although tokens, words and sentences may differ;
--   one row per pair.
-- kind: relation
-- engine: kernel: a longest common subsequence inside multiword tokens
-- parameter gold_corpus TEXT: corpus of the gold trees
-- parameter system_corpus TEXT: corpus of the system's trees
-- column gold_sentence INTEGER: the gold corpus's sentence
-- column gold_word INTEGER: position in it
-- column system_sentence INTEGER: the system's sentence
-- column system_word INTEGER: position in it
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies: words
--   that are tokens correspond where they cover the same characters; words inside a span of multiword tokens by a
--   longest common subsequence of their forms in lower case
SELECT g.sentence AS gold_sentence, g.word AS gold_word, s.sentence AS system_sentence, s.word AS system_word
FROM words AS g
JOIN words AS s ON s.span_start = g.span_start AND s.span_end = g.span_end
WHERE g.corpus = $gold_corpus AND s.corpus = $system_corpus AND NOT g.multiword AND NOT s.multiword
  AND g.span_end > g.span_start
UNION ALL
SELECT p.gold_sentences[p.pair.left_position] AS gold_sentence, p.gold_positions[p.pair.left_position] AS gold_word,
       p.system_sentences[p.pair.right_position] AS system_sentence, p.system_positions[p.pair.right_position] AS system_word
FROM (SELECT g.sentences_of_words AS gold_sentences, g.positions AS gold_positions,
             s.sentences_of_words AS system_sentences, s.positions AS system_positions,
             unnest(common_subsequence(g.lowered, s.lowered)) AS pair
      FROM multiword_words(side_corpus := $gold_corpus) AS g
      JOIN multiword_words(side_corpus := $system_corpus) AS s ON s.span_start = g.span_start) AS p
