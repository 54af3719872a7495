-- multiword_pairs: words of two corpora of the same text that correspond inside multiword tokens; one row per pair.
-- kind: relation
-- engine: kernel: a longest common subsequence of the words' forms
-- parameters: as attachment (gold_corpus, system_corpus)
-- column gold_sentence INTEGER: the gold corpus's sentence
-- column gold_word INTEGER: position in it
-- column system_sentence INTEGER: the system's sentence
-- column system_word INTEGER: position in it
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies
SELECT p.gold_sentences[p.pair.left_position] AS gold_sentence, p.gold_positions[p.pair.left_position] AS gold_word,
       p.system_sentences[p.pair.right_position] AS system_sentence,
       p.system_positions[p.pair.right_position] AS system_word
FROM (SELECT g.sentences_of_words AS gold_sentences, g.positions AS gold_positions,
             s.sentences_of_words AS system_sentences, s.positions AS system_positions,
             unnest(common_subsequence(g.lowered, s.lowered)) AS pair
      FROM multiword_words(side_corpus := $gold_corpus) AS g
      JOIN multiword_words(side_corpus := $system_corpus) AS s ON s.span_start = g.span_start) AS p
