-- headed_words: the words of dependency trees with their heads, as rules of annotation read them; one row per word.
-- kind: relation
-- parameters: as treebank_forms (corpus_name)
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column corpus VARCHAR: its corpus
-- column sentence INTEGER: its sentence
-- column sent_id VARCHAR: the sentence's sent_id, or else its 0-based number
-- column word INTEGER: position in the sentence
-- column form VARCHAR: the word as written
-- column upos VARCHAR: part of speech
-- column external_pos VARCHAR: the part of speech as which it acts: its feature ExtPos, or else its own
-- column negation BOOLEAN: whether it has the feature Polarity=Neg
-- column deprel VARCHAR: relation, with its subtype, `_` where it is unspecified
-- column relation VARCHAR: relation, without its subtype; NULL where it is unspecified
-- column projective BOOLEAN: whether every word between the word and its head is dominated by the head
-- column head INTEGER: position of the head, 0 for a root
-- column head_form VARCHAR: the head
-- column head_upos VARCHAR: its part of speech
-- column head_relation VARCHAR: its relation, without its subtype
-- column head_possessive BOOLEAN: whether it has the feature Poss=Yes
-- column head_projective BOOLEAN: whether its own edge is projective
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format
SELECT coalesce(c.treebank, c.corpus) AS treebank, w.corpus, w.sentence,
       coalesce(s.sent_id, CAST(w.sentence AS VARCHAR)) AS sent_id, w.word, w.form, w.upos,
       CASE WHEN '|' || w.feats LIKE '%|ExtPos=%' THEN split_part(split_part('|' || w.feats, '|ExtPos=', 2), '|', 1)
            ELSE w.upos END AS external_pos,
       CASE WHEN '|' || w.feats || '|' LIKE '%|Polarity=Neg|%' THEN TRUE ELSE FALSE END AS negation,
       coalesce(w.deprel, '_') AS deprel, w.udeprel AS relation, w.projective, w.head, h.form AS head_form, h.upos AS head_upos,
       h.udeprel AS head_relation,
       CASE WHEN '|' || h.feats || '|' LIKE '%|Poss=Yes|%' THEN TRUE ELSE FALSE END AS head_possessive,
       h.projective AS head_projective
FROM words AS w
JOIN sentences AS s ON s.corpus = w.corpus AND s.sentence = w.sentence
JOIN corpora AS c ON c.corpus = w.corpus
LEFT JOIN words AS h ON h.corpus = w.corpus AND h.sentence = w.sentence AND h.word = w.head
WHERE w.head IS NOT NULL AND ($corpus_name = '' OR w.corpus = $corpus_name)
