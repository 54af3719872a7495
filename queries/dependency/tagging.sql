-- tagging: tags of a system whose words and sentences may differ from the gold ones; one row per aligned pair, and per
--   word of either side without a counterpart.
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
-- column upos VARCHAR: gold part of speech
-- column system_upos VARCHAR: the system's part of speech
-- column gold_words BIGINT: 1 for every gold word
-- column system_words BIGINT: 1 for every word of the system
-- column aligned_pairs BIGINT: 1 for every pair of aligned words
-- column correct_upos BIGINT: 1 if the universal part of speech is right
-- column correct_xpos BIGINT: 1 if the treebank's own part of speech is right
-- column correct_features BIGINT: 1 if all universal features are right
-- column correct_tags BIGINT: 1 if all three are right
-- column correct_lemma BIGINT: 1 if the lemma is right, or the gold lemma is unspecified
-- score words_f1 percent higher = 2 * sum(aligned_pairs) / nullif(sum(gold_words) + sum(system_words), 0): F1 of
--   aligned words (Words)
-- score upos_f1 percent higher = 2 * sum(correct_upos) / nullif(sum(gold_words) + sum(system_words), 0): F1 of universal parts of
--   speech (UPOS)
-- score xpos_f1 percent higher = 2 * sum(correct_xpos) / nullif(sum(gold_words) + sum(system_words), 0): F1 of the treebank's own
--   parts of speech (XPOS)
-- score features_f1 percent higher = 2 * sum(correct_features) / nullif(sum(gold_words) + sum(system_words), 0): F1 of universal
--   features (UFeats)
-- score tags_f1 percent higher = 2 * sum(correct_tags) / nullif(sum(gold_words) + sum(system_words), 0): F1 of all tags (AllTags)
-- score lemmas_f1 percent higher = 2 * sum(correct_lemma) / nullif(sum(gold_words) + sum(system_words), 0): F1 of lemmas (Lemmas)
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies
SELECT c.sentence, c.word, c.system_sentence, c.system_word, c.form, c.upos, c.system_upos, c.gold_words,
       c.system_words, c.aligned_pairs, c.correct_upos, c.correct_xpos, c.correct_features,
       c.correct_upos * c.correct_xpos * c.correct_features AS correct_tags, c.correct_lemma
FROM compared_words AS c
