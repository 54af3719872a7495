-- conll18_counts: counts of the CoNLL 2018 shared task's scorer; one row.
-- kind: relation
-- engine: duckdb: segmentation
-- parameters: as attachment (gold_corpus, system_corpus)
-- audit text_correspondence
-- count gold_tokens BIGINT: tokens of the gold corpus
-- count system_tokens BIGINT: tokens of the system
-- count correct_tokens BIGINT: tokens that both have
-- count gold_sentences BIGINT: gold sentences
-- count system_sentences BIGINT: sentences of the system
-- count correct_sentences BIGINT: sentences that both have
-- count gold_words BIGINT: gold words
-- count system_words BIGINT: words of the system
-- count aligned_pairs BIGINT: aligned words
-- count correct_upos BIGINT: words with the right UPOS
-- count correct_xpos BIGINT: words with the right XPOS
-- count correct_features BIGINT: words with the right universal features
-- count correct_tags BIGINT: words with all three right
-- count correct_lemma BIGINT: words with the right lemma
-- count correct_head BIGINT: words with the right head
-- count correct_edge BIGINT: words with the right head and relation
-- count gold_content BIGINT: gold content words
-- count system_content BIGINT: content words of the system
-- count aligned_content BIGINT: aligned content words
-- count correct_content BIGINT: content words with the right head and relation
-- count correct_morphology BIGINT: content words that are correct for MLAS
-- count correct_lexeme BIGINT: content words that are correct for BLEX
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies
SELECT z.gold_tokens, z.system_tokens, z.correct_tokens, z.gold_sentences, z.system_sentences, z.correct_sentences,
       t.gold_words, t.system_words, t.aligned_pairs, t.correct_upos, t.correct_xpos, t.correct_features,
       t.correct_tags, t.correct_lemma, t.correct_head, t.correct_edge, c.gold_content, c.system_content,
       c.aligned_content, c.correct_content, c.correct_morphology, c.correct_lexeme
FROM (SELECT CAST(sum(s.gold_tokens) AS BIGINT) AS gold_tokens, CAST(sum(s.system_tokens) AS BIGINT) AS system_tokens,
             CAST(sum(s.correct_tokens) AS BIGINT) AS correct_tokens,
             CAST(sum(s.gold_sentences) AS BIGINT) AS gold_sentences,
             CAST(sum(s.system_sentences) AS BIGINT) AS system_sentences,
             CAST(sum(s.correct_sentences) AS BIGINT) AS correct_sentences
      FROM segmentation AS s) AS z
CROSS JOIN (SELECT CAST(sum(w.gold_words) AS BIGINT) AS gold_words, CAST(sum(w.system_words) AS BIGINT) AS system_words,
                   CAST(sum(w.aligned_pairs) AS BIGINT) AS aligned_pairs, CAST(sum(w.correct_upos) AS BIGINT) AS correct_upos,
                   CAST(sum(w.correct_xpos) AS BIGINT) AS correct_xpos,
                   CAST(sum(w.correct_features) AS BIGINT) AS correct_features,
                   CAST(sum(w.correct_upos * w.correct_xpos * w.correct_features) AS BIGINT) AS correct_tags,
                   CAST(sum(w.correct_lemma) AS BIGINT) AS correct_lemma,
                   CAST(sum(w.correct_head) AS BIGINT) AS correct_head, CAST(sum(w.correct_edge) AS BIGINT) AS correct_edge
            FROM compared_words AS w) AS t
CROSS JOIN (SELECT CAST(sum(w.gold_content) AS BIGINT) AS gold_content,
                   CAST(sum(w.system_content) AS BIGINT) AS system_content,
                   CAST(sum(w.aligned_content) AS BIGINT) AS aligned_content,
                   CAST(sum(w.correct_content) AS BIGINT) AS correct_content,
                   CAST(sum(w.correct_morphology) AS BIGINT) AS correct_morphology,
                   CAST(sum(w.correct_lexeme) AS BIGINT) AS correct_lexeme
            FROM content_attachment AS w) AS c
