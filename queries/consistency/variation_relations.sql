-- variation_relations: pairs of words that are linked by different relations in like contexts (variation nuclei), the most
--   frequent first; one row per pair, context and relation.
-- kind: statistic
-- parameters: as treebank_forms (corpus_name, forms)
-- parameter surroundings TEXT(neighbours|head|none) = neighbours: what contexts have in common: neighbours, the words next
--   to the pair on both sides and the number of words between (non-fringe); head, the relation of the head; none, nothing
-- audit missing_lemmas
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column form VARCHAR: the dependent
-- column head_form VARCHAR: the head
-- column direction VARCHAR: left or right: the side of the dependent on which the head is
-- column surrounding VARCHAR: the word before both (`.S` at the start), the number of words between them, and the word after
--   both (`.E` at the end); or the relation of the head
-- column relation VARCHAR: one of the relations of the dependent there
-- column words BIGINT: number of pairs with this relation there
-- column sent_id VARCHAR: sentence of one of them, the first by length of sent_id and by sent_id; or else its 0-based number
-- column word INTEGER: position of its dependent
-- source: Boyd, Dickinson & Meurers 2008, On detecting errors in dependency treebanks (variation nuclei of linked
--   pairs, with its non-fringe and its dependency context heuristic, without pairs that are not linked elsewhere)
SELECT p.treebank, p.form, p.head_form, p.direction, p.surrounding, p.relation, p.words, p.sent_id, p.word
FROM pair_contexts AS p
WHERE p.relations_there > 1
ORDER BY p.treebank, p.all_words DESC, p.form, p.head_form, p.direction, p.surrounding, p.words DESC, p.relation
