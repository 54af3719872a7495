-- aligned_words: alignment of the words of two corpora of the same text, whose tokens, words and sentences may differ;
--   one row per pair.
-- kind: relation
-- engine: kernel: a longest common subsequence inside multiword tokens
-- parameters: as attachment (gold_corpus, system_corpus)
-- column gold_sentence INTEGER: the gold corpus's sentence
-- column gold_word INTEGER: position in it
-- column system_sentence INTEGER: the system's sentence
-- column system_word INTEGER: position in it
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies:
--   words that are tokens correspond where they cover the same characters, and words inside a span of multiword tokens
--   by a longest common subsequence of their forms in lower case
SELECT d.gold_sentence, d.gold_word, d.system_sentence, d.system_word
FROM same_span_words AS d
UNION ALL
SELECT m.gold_sentence, m.gold_word, m.system_sentence, m.system_word
FROM multiword_pairs AS m
