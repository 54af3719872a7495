-- variation_tags: words that have different tags between the same neighbours (variation trigrams), the most frequent first;
--   one row per word, neighbours and tag.
-- kind: statistic
-- parameters: as treebank_forms (corpus_name, forms)
-- parameter tagset TEXT(upos|xpos) = upos: the column of the tags
-- audit missing_lemmas
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column before VARCHAR: the word before, `.S` at the start of a sentence
-- column form VARCHAR: the word
-- column after VARCHAR: the word after, `.E` at the end of a sentence
-- column tag VARCHAR: one of its tags there
-- column words BIGINT: number of words with this tag there
-- column sent_id VARCHAR: sentence of one of them, the first by length of sent_id and by sent_id; or else its 0-based number
-- column word INTEGER: its position
-- source: Dickinson & Meurers 2003, Detecting errors in part-of-speech annotation (variation n-grams: here the nucleus
--   is one word, with a context of one word on either side)
SELECT t.treebank, t.before, t.form, t.after, t.tag, t.words, t.sent_id, t.word
FROM tag_contexts AS t
WHERE t.tags_there > 1
ORDER BY t.treebank, t.all_words DESC, t.form, t.before, t.after, t.words DESC, t.tag
