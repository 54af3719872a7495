-- conll18: results table of the CoNLL 2018 shared task's scorer, for a system whose tokens, words and sentences may
--   differ from the gold ones; one row per metric.
-- kind: statistic
-- engine: duckdb: conll18_counts
-- parameters: as attachment (gold_corpus, system_corpus)
-- audit text_correspondence
-- audit unparsed_gold
-- column metric VARCHAR: name of the metric in the scorer: Tokens, Sentences, Words, UPOS, XPOS, UFeats, AllTags,
--   Lemmas, UAS, LAS, CLAS, MLAS, BLEX
-- column precision DOUBLE: correct / system_total
-- column recall DOUBLE: correct / gold_total
-- column f1 DOUBLE: 2 correct / (gold_total + system_total)
-- column aligned_accuracy DOUBLE: correct / aligned_total; NULL for Tokens, Sentences and Words
-- column correct BIGINT: number of items that both sides have, or that are correct
-- column gold_total BIGINT: number of items of the gold corpus
-- column system_total BIGINT: number of items of the system
-- column aligned_total BIGINT: number of aligned words
-- compares form: correct
-- compares lemma: correct
-- compares upos: correct
-- compares xpos: correct
-- compares feats: correct
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies
SELECT m.metric, CAST(m.correct AS DOUBLE) / nullif(m.system_total, 0) AS precision,
       CAST(m.correct AS DOUBLE) / nullif(m.gold_total, 0) AS recall,
       2 * CAST(m.correct AS DOUBLE) / nullif(m.gold_total + m.system_total, 0) AS f1,
       CAST(m.correct AS DOUBLE) / nullif(m.aligned_total, 0) AS aligned_accuracy,
       m.correct, m.gold_total, m.system_total, m.aligned_total
FROM (SELECT 1 AS rank, 'Tokens' AS metric, c.correct_tokens AS correct, c.gold_tokens AS gold_total, c.system_tokens AS system_total, NULL AS aligned_total
      FROM conll18_counts AS c
      UNION ALL
      SELECT 2, 'Sentences', c.correct_sentences, c.gold_sentences, c.system_sentences, NULL FROM conll18_counts AS c
      UNION ALL
      SELECT 3, 'Words', c.aligned_pairs, c.gold_words, c.system_words, NULL FROM conll18_counts AS c
      UNION ALL
      SELECT 4, 'UPOS', c.correct_upos, c.gold_words, c.system_words, c.aligned_pairs FROM conll18_counts AS c
      UNION ALL
      SELECT 5, 'XPOS', c.correct_xpos, c.gold_words, c.system_words, c.aligned_pairs FROM conll18_counts AS c
      UNION ALL
      SELECT 6, 'UFeats', c.correct_features, c.gold_words, c.system_words, c.aligned_pairs FROM conll18_counts AS c
      UNION ALL
      SELECT 7, 'AllTags', c.correct_tags, c.gold_words, c.system_words, c.aligned_pairs FROM conll18_counts AS c
      UNION ALL
      SELECT 8, 'Lemmas', c.correct_lemma, c.gold_words, c.system_words, c.aligned_pairs FROM conll18_counts AS c
      UNION ALL
      SELECT 9, 'UAS', c.correct_head, c.gold_words, c.system_words, c.aligned_pairs FROM conll18_counts AS c
      UNION ALL
      SELECT 10, 'LAS', c.correct_edge, c.gold_words, c.system_words, c.aligned_pairs FROM conll18_counts AS c
      UNION ALL
      SELECT 11, 'CLAS', c.correct_content, c.gold_content, c.system_content, c.aligned_content FROM conll18_counts AS c
      UNION ALL
      SELECT 12, 'MLAS', c.correct_morphology, c.gold_content, c.system_content, c.aligned_content FROM conll18_counts AS c
      UNION ALL
      SELECT 13, 'BLEX', c.correct_lexeme, c.gold_content, c.system_content, c.aligned_content FROM conll18_counts AS c) AS m
ORDER BY m.rank
