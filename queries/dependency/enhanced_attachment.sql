-- enhanced_attachment: edges of enhanced graphs, without those of empty nodes; one row per word of either side with its
--   edges.
-- kind: metric
-- engine: duckdb: relations without their subtypes, by a pattern
-- parameter gold_corpus TEXT: corpus of the gold graphs
-- parameter system_corpus TEXT: corpus of the system's graphs
-- audit text_correspondence
-- column sentence INTEGER: the gold corpus's sentence; of a word that only the system has, the one in which it begins
-- column word INTEGER: position of the gold word; NULL if there is none
-- column system_sentence INTEGER: the system's sentence; NULL where it has no such word
-- column system_word INTEGER: position of the system's word
-- column form VARCHAR: the word in the gold corpus
-- column gold_edges BIGINT: number of edges to it in the gold graph
-- column system_edges BIGINT: number of edges to it in the system's graph
-- column correct_edges BIGINT: number of those that both have, with the same relation
-- column correct_universal_edges BIGINT: number of pairs of edges, one of each side, from the same head and with the same
--   relation up to its first `:`
-- compares deps: correct_edges, correct_universal_edges
-- score elas percent higher = 2 * sum(correct_edges) / nullif(sum(gold_edges) + sum(system_edges), 0): F1 of enhanced edges with
--   relations (ELAS)
-- score eulas percent higher = 2 * sum(correct_universal_edges) / nullif(sum(gold_edges) + sum(system_edges), 0): F1 of enhanced
--   edges with universal relations (EULAS)
-- source: Bouma, Seddah & Zeman 2020, Overview of the IWPT 2020 shared task on parsing into enhanced Universal
--   Dependencies (whose scorer wants empty nodes collapsed, and leaves out edges from those that are left)
SELECT p.sentence, p.word, p.system_sentence, p.system_word, p.form, coalesce(g.edges, 0) AS gold_edges, coalesce(s.edges, 0) AS system_edges,
       coalesce(c.correct_edges, 0) AS correct_edges, coalesce(c.correct_universal_edges, 0) AS correct_universal_edges
FROM word_pairs AS p
LEFT JOIN word_edges(tree_corpus := $gold_corpus) AS g ON g.sentence = p.sentence AND g.dependent = p.word
LEFT JOIN word_edges(tree_corpus := $system_corpus) AS s
    ON s.sentence = p.system_sentence AND s.dependent = p.system_word
LEFT JOIN (SELECT a.sentence, a.word,
                  CAST(sum(CASE WHEN e.deprel = f.deprel THEN 1 ELSE 0 END) AS BIGINT) AS correct_edges,
                  CAST(sum(CASE WHEN regexp_replace(e.deprel, ':[^>]*', '', 'g')
                                     = regexp_replace(f.deprel, ':[^>]*', '', 'g') THEN 1 ELSE 0 END) AS BIGINT)
                      AS correct_universal_edges
           FROM word_pairs AS a
           JOIN enhanced_edges AS e ON e.sentence = a.sentence AND e.dependent = a.word
           JOIN enhanced_edges AS f ON f.sentence = a.system_sentence AND f.dependent = a.system_word
           LEFT JOIN word_pairs AS h ON h.system_sentence = f.sentence AND h.system_word = f.head
           WHERE e.corpus = $gold_corpus AND f.corpus = $system_corpus
             AND e.head_index = 0 AND e.dependent_index = 0 AND f.head_index = 0 AND f.dependent_index = 0
             AND ((e.head = 0 AND f.head = 0) OR (h.sentence = e.sentence AND h.word = e.head))
           GROUP BY a.sentence, a.word) AS c ON c.sentence = p.sentence AND c.word = p.word
