-- aligned_words: alignment of the words of two corpora of the same text, whose tokens, words and sentences may differ;
--   one row per pair, and per word of either side without a counterpart.
-- kind: relation
-- engine: kernel: a longest common subsequence inside multiword tokens
-- parameters: as attachment (gold_corpus, system_corpus)
-- column sentence INTEGER: the gold corpus's sentence; of a word that only the system has, the one in which it begins
-- column word INTEGER: position of the gold word; NULL if there is none
-- column system_sentence INTEGER: the system's sentence; NULL where it has no such word
-- column system_word INTEGER: position of the system's word; NULL likewise
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies:
--   words that are tokens correspond where they cover the same characters, and words inside a span of multiword tokens
--   by a longest common subsequence of their forms in lower case. A span is the smallest one whose ends are inside no
--   multiword token of either corpus, and tokens in it have no white space inside
SELECT p.gold_sentence AS sentence, p.gold_word AS word, p.system_sentence, p.system_word
FROM span_pairs AS p
WHERE p.gold_word IS NOT NULL AND p.system_word IS NOT NULL
UNION ALL
SELECT coalesce(g.sentence, s.gold_sentence) AS sentence, g.word, s.sentence AS system_sentence, s.word AS system_word
FROM (SELECT u.sentence, u.word, m.system_sentence, m.system_word
      FROM unmatched_words AS u
      LEFT JOIN (SELECT l.sentence_list[l.pair.left_position] AS sentence, l.word_list[l.pair.left_position] AS word,
                        l.sentence_list[l.n_gold + l.pair.right_position] AS system_sentence,
                        l.word_list[l.n_gold + l.pair.right_position] AS system_word
                 FROM (SELECT k.sentence_list, k.word_list, k.n_gold,
                              unnest(common_subsequence(k.lowered[1:k.n_gold], k.lowered[k.n_gold + 1:k.n_words]))
                                  AS pair
                       FROM (SELECT list(i.lowered ORDER BY i.side, i.sentence, i.word) AS lowered,
                                    list(i.sentence ORDER BY i.side, i.sentence, i.word) AS sentence_list,
                                    list(i.word ORDER BY i.side, i.sentence, i.word) AS word_list,
                                    count(CASE WHEN i.side = 'gold' THEN 1 END) AS n_gold, count(*) AS n_words
                             FROM (SELECT w.side, w.sentence, w.word, z.span_start, z.span_end,
                                          w.span_end AS word_end,
                                          lower(regexp_replace(replace(
                                              CASE WHEN w.multiword THEN w.form
                                                   ELSE regexp_replace(w.form, '\p{Zs}', '', 'g') END, 'İ', 'i̇'),
                                              '(\p{L}\p{M}*)Σ(\P{L}|$)', '\1ς\2', 'g')) AS lowered
                                   FROM unmatched_words AS w
                                   ASOF JOIN (SELECT min(n.span_start) AS span_start, max(n.span_end) AS span_end
                                              FROM (SELECT b.span_start, b.span_end,
                                                           sum(b.begins) OVER (ORDER BY b.span_start, b.span_end
                                                                               ROWS UNBOUNDED PRECEDING) AS number
                                                    FROM (SELECT t.span_start, t.span_end,
                                                                 CASE WHEN t.span_start < max(t.span_end) OVER (
                                                                          ORDER BY t.span_start, t.span_end
                                                                          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
                                                                      THEN 0 ELSE 1 END AS begins
                                                          FROM (SELECT DISTINCT x.span_start, x.span_end
                                                                FROM words AS x
                                                                WHERE (x.corpus = $gold_corpus OR x.corpus = $system_corpus)
                                                                  AND x.multiword) AS t) AS b) AS n
                                              GROUP BY n.number) AS z ON w.span_start >= z.span_start) AS i
                             WHERE i.word_end <= i.span_end
                             GROUP BY i.span_start) AS k) AS l) AS m ON m.sentence = u.sentence AND m.word = u.word
      WHERE u.side = 'gold') AS g
FULL JOIN (SELECT o.sentence, o.word, b.sentence AS gold_sentence
           FROM (SELECT u.sentence, u.word, u.span_start
                 FROM unmatched_words AS u
                 WHERE u.side = 'system') AS o
           ASOF JOIN (SELECT w.sentence, w.span_start
                      FROM words AS w
                      WHERE w.corpus = $gold_corpus AND w.word = 1) AS b ON o.span_start >= b.span_start) AS s
    ON s.sentence = g.system_sentence AND s.word = g.system_word
