-- content_attachment: attachment of content words for a system whose words and sentences may differ from the gold ones;
--   one row per aligned pair, and per word of either side without a counterpart.
-- kind: metric
-- engine: duckdb: compared_words
-- parameters: as attachment (gold_corpus, system_corpus)
-- audit text_correspondence
-- audit unparsed_gold
-- column sentence INTEGER: the gold corpus's sentence; of a word that only the system has, the one in which it begins
-- column word INTEGER: position of the gold word; NULL if there is none
-- column system_sentence INTEGER: the system's sentence; NULL where it has no such word
-- column system_word INTEGER: position of the system's word
-- column form VARCHAR: the word in the gold tree
-- column gold_udeprel VARCHAR: gold relation cut at `:`
-- column system_udeprel VARCHAR: the system's relation cut at `:`
-- column gold_content BIGINT: 1 for every gold word with a content relation
-- column system_content BIGINT: 1 for every system word with a content relation
-- column aligned_content BIGINT: 1 for every pair of aligned words whose gold relation is a content relation
-- column correct_content BIGINT: 1 for those whose head and relation are right
-- column correct_morphology BIGINT: 1 for those whose part of speech and universal features are right as well, and those of
--   their function words, which are the same
-- column correct_lexeme BIGINT: 1 for those whose head, relation and lemma are right
-- compares upos: correct_morphology
-- compares feats: correct_morphology
-- compares lemma: correct_lexeme
-- score clas percent higher = 2 * sum(correct_content) / nullif(sum(gold_content) + sum(system_content), 0): content-word labelled
--   attachment score (CLAS of 2018), F1
-- score mlas percent higher = 2 * sum(correct_morphology) / nullif(sum(gold_content) + sum(system_content), 0): morphology-aware
--   labelled attachment score (MLAS), F1
-- score blex percent higher = 2 * sum(correct_lexeme) / nullif(sum(gold_content) + sum(system_content), 0): bilexical dependency
--   score (BLEX), F1
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies (the
--   scorer's lists of content and functional relations)
SELECT c.sentence, c.word, c.system_sentence, c.system_word, c.form, c.gold_udeprel, c.system_udeprel,
       c.gold_content, c.system_content, c.gold_content * c.aligned_pairs AS aligned_content, c.correct_content,
       CASE WHEN c.correct_upos = 1 AND c.correct_features = 1 AND g.sentence IS NULL AND s.system_sentence IS NULL
            THEN c.correct_content ELSE 0 END AS correct_morphology,
       c.correct_content * c.correct_lemma AS correct_lexeme
FROM (SELECT e.sentence, e.word, e.system_sentence, e.system_word, e.form, e.gold_udeprel, e.system_udeprel,
             e.gold_content, e.system_content, e.aligned_pairs, e.correct_upos, e.correct_features, e.correct_lemma,
             e.gold_content * e.correct_edge AS correct_content
      FROM compared_words AS e) AS c
LEFT JOIN (SELECT DISTINCT e.sentence, e.gold_head
           FROM compared_words AS e
           WHERE e.correct_edge * e.correct_upos * e.correct_features = 0
             AND e.gold_udeprel IN ('aux', 'cop', 'mark', 'det', 'clf', 'case', 'cc')) AS g
    ON g.sentence = c.sentence AND g.gold_head = c.word
LEFT JOIN (SELECT DISTINCT e.system_sentence, e.system_head
           FROM compared_words AS e
           WHERE e.correct_edge * e.correct_upos * e.correct_features = 0
             AND e.system_udeprel IN ('aux', 'cop', 'mark', 'det', 'clf', 'case', 'cc')) AS s
    ON s.system_sentence = c.system_sentence AND s.system_head = c.system_word
