-- linked_words: the links of two alignments of the same sentences; one row per link that either has.
-- kind: relation
-- parameter gold_corpus TEXT: the first alignment
-- parameter system_corpus TEXT: the second alignment
-- column sentence INTEGER: the sentence
-- column source INTEGER: position of the source word; 0 in a null link
-- column target INTEGER: position of the target word; 0 in a null link
-- column gold_sure BOOLEAN: whether the link is sure in the first alignment; NULL if it is absent
-- column system_sure BOOLEAN: whether it is sure in the second; NULL if it is absent
-- source: Och & Ney 2003, A systematic comparison of various statistical alignment models
SELECT coalesce(g.sentence, s.sentence) AS sentence, coalesce(g.source, s.source) AS source,
       coalesce(g.target, s.target) AS target, g.sure AS gold_sure, s.sure AS system_sure
FROM (SELECT a.sentence, a.source, a.target, a.sure FROM alignments AS a WHERE a.corpus = $gold_corpus) AS g
FULL JOIN (SELECT a.sentence, a.source, a.target, a.sure FROM alignments AS a WHERE a.corpus = $system_corpus) AS s
    ON g.sentence = s.sentence AND g.source = s.source AND g.target = s.target
