-- dependency_arcs: the words of dependency trees with the sizes from which lengths of arcs in other orders follow; one
--   row per word, also of punctuation unless it is dropped.
-- kind: relation
-- parameters: as treebank_forms (corpus_name)
-- parameter punctuation TEXT(keep|drop) = keep: whether punctuation is there; the dependents of what is dropped, upos
--   PUNCT or deprel punct, hang on its head
-- column corpus VARCHAR: the corpus
-- column sentence INTEGER: the sentence
-- column word INTEGER: position in the sentence, also where punctuation is dropped
-- column relation VARCHAR: universal relation
-- column n_words BIGINT: number of these words in the sentence
-- column root BOOLEAN: whether the word has no head
-- column length BIGINT: number of steps from the word to its head, over these words; 0 for a root
-- column size BIGINT: number of words that the word dominates, with itself
-- column head_size BIGINT: the same of its head; 0 for a root
-- column least BIGINT: part of the arc in the least length of a projective order, in which the subtrees of a head stand on
--   alternate sides, the largest outside: 1 and the words below the dependent as often as arcs pass them; 0 for a root
-- source: Gildea & Temperley 2010, Do grammars minimize dependency length?; Hochberg & Stallmann 2003, Optimal one-page
--   tree embeddings in linear time
SELECT a.corpus, a.sentence, a.word, a.relation, a.n_words, a.head_word IS NULL AS root,
       CASE WHEN a.head_word IS NULL THEN 0 ELSE abs(a.place - h.place) END AS length, a.size,
       CASE WHEN a.head_word IS NULL THEN 0 ELSE h.size END AS head_size,
       CASE WHEN a.head_word IS NULL THEN 0
            ELSE 1 + a.size * CAST(floor((a.rank - CASE WHEN h.head_word IS NULL THEN 1 ELSE 0 END) / 2.0) AS BIGINT) END AS least
FROM kept_words AS a
LEFT JOIN kept_words AS h ON h.corpus = a.corpus AND h.sentence = a.sentence AND h.word = a.head_word
