-- function_tags: the functions of phrases and words that a parser's trees share with the gold trees; one row per
--   sentence, phrase or word, and function.
-- kind: metric
-- engine: kernel: compares whole trees
-- parameters: as robinson_foulds (gold_corpus, system_corpus, rules)
-- audit missing_trees
-- column sentence INTEGER: the gold corpus's sentence
-- column function_tag VARCHAR: one function: `NP-SBJ-TPC` has `SBJ` and `TPC`; indices such as `-1` and `=2` are none
-- column carrier VARCHAR: phrase or word
-- column label VARCHAR: label of the phrase, or tag of the word
-- column first INTEGER: position of its first word among the words compared
-- column last INTEGER: position of its last word among the words compared
-- column gaps INTEGER: number of gaps between its words
-- count function_matched BIGINT: number of times that both trees have the function there
-- count function_gold BIGINT: number of times that the gold tree has it
-- count function_test BIGINT: number of times that the system's tree has it
-- score function_tag_precision percent higher = sum(function_matched) / nullif(sum(function_test), 0): share of the system's
--   functions that are right
-- score function_tag_recall percent higher = sum(function_matched) / nullif(sum(function_gold), 0): share of the gold
--   functions that are found
-- score function_f1 percent higher = 2 * sum(function_matched) / nullif(sum(function_gold) + sum(function_test), 0):
--   harmonic mean of precision and recall of functions, over phrases whose label and words, and words whose tag, are right; NULL where neither tree
--   has a function
-- source: Blaheta & Charniak 2000, Assigning function tags to parsed text; van Cranenburgh, Scha & Bod 2016,
--   Data-oriented parsing with discontinuous constituents and function tags (functions of words)
SELECT t.sentence, t.function_tag, t.carrier, t.label, t.first, t.last, t.gaps,
       least(t.function_gold, t.function_test) AS function_matched, t.function_gold, t.function_test
FROM (SELECT f.sentence, f.function_tag, f.carrier, f.label, f.first, f.last, f.gaps,
             CAST(sum(f.of_gold) AS BIGINT) AS function_gold, CAST(sum(1 - f.of_gold) AS BIGINT) AS function_test
      FROM (SELECT s.sentence, s.of_gold, s.label, s.first, s.last, s.gaps, s.words_key,
                   CASE WHEN s.word IS NULL THEN 'phrase' ELSE 'word' END AS carrier,
                   unnest(regexp_split_to_array(
                       CASE WHEN s.word IS NULL THEN coalesce(g.functions, t.functions)
                            ELSE regexp_extract(coalesce(v.misc, w.misc), '(^|\|)Function=([^|]*)', 2) END,
                       '[-=]')) AS function_tag
            FROM shared_nodes AS s
            LEFT JOIN constituents AS g
              ON s.of_gold = 1 AND g.corpus = $gold_corpus AND g.sentence = s.sentence AND g.node = s.node
            LEFT JOIN constituents AS t
              ON s.of_gold = 0 AND t.corpus = $system_corpus AND t.sentence = s.sentence AND t.node = s.node
            LEFT JOIN words AS v
              ON s.of_gold = 1 AND v.corpus = $gold_corpus AND v.sentence = s.sentence AND v.word = s.word
            LEFT JOIN words AS w
              ON s.of_gold = 0 AND w.corpus = $system_corpus AND w.sentence = s.sentence AND w.word = s.word) AS f
      WHERE f.function_tag <> '' AND NOT regexp_full_match(f.function_tag, '[0-9]+')
      GROUP BY f.sentence, f.function_tag, f.carrier, f.label, f.first, f.last, f.gaps, f.words_key) AS t
