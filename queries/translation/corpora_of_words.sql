-- corpora_of_words: the corpora whose words are not those of lines of texts, as they have another format or were changed; one
--   row per corpus.
-- kind: relation
-- column corpus VARCHAR: the corpus
-- source: Post 2018, A call for clarity in reporting BLEU scores (tokenisation)
SELECT c.corpus
FROM corpora AS c
WHERE c.format <> 'text' OR c.changed_at IS NOT NULL
