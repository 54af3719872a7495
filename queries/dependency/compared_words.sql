-- compared_words: word_pairs with the correctness of each annotation; one row per pair, and per word of either
--   side without a counterpart.
-- kind: relation
-- engine: duckdb: universal_features
-- parameters: as attachment (gold_corpus, system_corpus)
-- audit text_correspondence
-- column sentence INTEGER: the gold corpus's sentence; of a word that only the system has, the one in which it begins
-- column word INTEGER: position of the gold word; NULL if there is none
-- column system_sentence INTEGER: the system's sentence
-- column system_word INTEGER: position of the system's word
-- column form VARCHAR: the word in the gold tree
-- column upos VARCHAR: gold part of speech
-- column system_upos VARCHAR: the system's part of speech
-- column gold_head INTEGER: head in the gold tree
-- column system_head INTEGER: head in the system's tree, a position in its own sentence
-- column gold_udeprel VARCHAR: gold relation cut at `:`
-- column system_udeprel VARCHAR: the system's relation cut at `:`
-- column gold_content BIGINT: 1 for every gold word with a content relation
-- column system_content BIGINT: 1 for every system word with a content relation
-- column gold_words BIGINT: 1 if there is a gold word
-- column system_words BIGINT: 1 if there is a word of the system
-- column aligned_pairs BIGINT: 1 if there are both
-- column correct_head BIGINT: 1 if the head is right
-- column correct_edge BIGINT: 1 if head and universal relation are right
-- column correct_upos BIGINT: 1 if the universal part of speech is right
-- column correct_xpos BIGINT: 1 if the treebank's own part of speech is right
-- column correct_features BIGINT: 1 if all universal features are right
-- column correct_lemma BIGINT: 1 if the lemma is right, or the gold lemma is unspecified
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies (the
--   scorer's list of content relations)
SELECT p.sentence, p.word, p.system_sentence, p.system_word, p.form, p.upos, p.system_upos, p.gold_head,
       p.system_head, p.gold_udeprel, p.system_udeprel,
       CAST(CASE WHEN p.gold_udeprel IN (
           'nsubj', 'obj', 'iobj', 'csubj', 'ccomp', 'xcomp', 'obl', 'vocative', 'expl', 'dislocated', 'advcl', 'advmod',
           'discourse', 'nmod', 'appos', 'nummod', 'acl', 'amod', 'conj', 'fixed', 'flat', 'compound', 'list',
           'parataxis', 'orphan', 'goeswith', 'reparandum', 'root', 'dep') THEN 1 ELSE 0 END AS BIGINT) AS gold_content,
       CAST(CASE WHEN p.system_udeprel IN (
           'nsubj', 'obj', 'iobj', 'csubj', 'ccomp', 'xcomp', 'obl', 'vocative', 'expl', 'dislocated', 'advcl', 'advmod',
           'discourse', 'nmod', 'appos', 'nummod', 'acl', 'amod', 'conj', 'fixed', 'flat', 'compound', 'list',
           'parataxis', 'orphan', 'goeswith', 'reparandum', 'root', 'dep') THEN 1 ELSE 0 END AS BIGINT) AS system_content,
       p.gold_words, p.system_words, p.aligned_pairs, p.correct_head,
       CASE WHEN coalesce(p.gold_udeprel, '_') = coalesce(p.system_udeprel, '_') THEN p.correct_head ELSE 0 END
           AS correct_edge,
       CASE WHEN coalesce(p.upos, '_') = coalesce(p.system_upos, '_') THEN p.aligned_pairs ELSE 0 END AS correct_upos,
       CASE WHEN coalesce(g.xpos, '_') = coalesce(s.xpos, '_') THEN p.aligned_pairs ELSE 0 END AS correct_xpos,
       CASE WHEN coalesce(u.universal, '') = coalesce(v.universal, '') THEN p.aligned_pairs ELSE 0 END AS correct_features,
       CASE WHEN coalesce(g.lemma, '_') = '_' OR g.lemma = s.lemma THEN p.aligned_pairs ELSE 0 END AS correct_lemma
FROM word_pairs AS p
LEFT JOIN (SELECT w.sentence, w.word, w.lemma, w.xpos, w.feats
           FROM words AS w
           WHERE w.corpus = $gold_corpus) AS g ON g.sentence = p.sentence AND g.word = p.word
LEFT JOIN (SELECT w.sentence, w.word, w.lemma, w.xpos, w.feats
           FROM words AS w
           WHERE w.corpus = $system_corpus) AS s ON s.sentence = p.system_sentence AND s.word = p.system_word
LEFT JOIN universal_features AS u ON u.feats = nullif(g.feats, s.feats)
LEFT JOIN universal_features AS v ON v.feats = nullif(s.feats, g.feats)
