-- version_word_columns: what both versions of a corpus have in the columns of their aligned words; one row per pair of
--   words.
-- kind: relation
-- engine: kernel: version_words
-- parameters: as version_sentences
-- column old_sentence INTEGER: sentence of the old version
-- column old_word INTEGER: position in it
-- column new_sentence INTEGER: sentence of the new version
-- column new_word INTEGER: position in it
-- column upos VARCHAR: part of speech in the old version
-- column deprel VARCHAR: relation in the old version
-- column old_form VARCHAR: its FORM in the old version
-- column new_form VARCHAR: the same in the new version
-- column same_form BOOLEAN: whether they are equal
-- column old_lemma VARCHAR: its LEMMA in the old version, `_` where it is unspecified
-- column new_lemma VARCHAR: the same in the new version
-- column same_lemma BOOLEAN: whether they are equal
-- column old_upos VARCHAR: its UPOS in the old version, `_` where it is unspecified
-- column new_upos VARCHAR: the same in the new version
-- column same_upos BOOLEAN: whether they are equal
-- column old_xpos VARCHAR: its XPOS in the old version, `_` where it is unspecified
-- column new_xpos VARCHAR: the same in the new version
-- column same_xpos BOOLEAN: whether they are equal
-- column old_feats VARCHAR: its FEATS in the old version, `_` where it is unspecified
-- column new_feats VARCHAR: the same in the new version
-- column same_feats BOOLEAN: whether they are equal
-- column old_head VARCHAR: position and form of its head in the old version, `_` where it is unspecified
-- column new_head VARCHAR: the same in the new version
-- column old_head_upos VARCHAR: part of speech of the head in the old version, ROOT for a root
-- column new_head_upos VARCHAR: the same in the new version
-- column same_head BOOLEAN: whether the heads are aligned with each other
-- column old_deprel VARCHAR: its DEPREL in the old version, `_` where it is unspecified
-- column new_deprel VARCHAR: the same in the new version
-- column same_deprel BOOLEAN: whether they are equal
-- column old_deps VARCHAR: its DEPS in the old version, `_` where it is unspecified
-- column new_deps VARCHAR: the same in the new version
-- column old_relations VARCHAR: their relations in the old version
-- column new_relations VARCHAR: the same in the new version
-- column same_deps BOOLEAN: whether they have the same relations to heads that are aligned with each other
-- column old_misc VARCHAR: its MISC in the old version, `_` where it is unspecified
-- column new_misc VARCHAR: the same in the new version
-- column same_misc BOOLEAN: whether they are equal
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format
SELECT p.old_sentence,
       p.old_word,
       p.new_sentence,
       p.new_word,
       o.upos,
       o.deprel,
       o.form AS old_form,
       n.form AS new_form,
       o.form = n.form AS same_form,
       coalesce(o.lemma, '_') AS old_lemma,
       coalesce(n.lemma, '_') AS new_lemma,
       o.lemma IS NOT DISTINCT FROM n.lemma AS same_lemma,
       coalesce(o.upos, '_') AS old_upos,
       coalesce(n.upos, '_') AS new_upos,
       o.upos IS NOT DISTINCT FROM n.upos AS same_upos,
       coalesce(o.xpos, '_') AS old_xpos,
       coalesce(n.xpos, '_') AS new_xpos,
       o.xpos IS NOT DISTINCT FROM n.xpos AS same_xpos,
       coalesce(o.feats, '_') AS old_feats,
       coalesce(n.feats, '_') AS new_feats,
       o.feats IS NOT DISTINCT FROM n.feats AS same_feats,
       coalesce(CAST(o.head AS VARCHAR) || ' ' || coalesce(f.form, 'ROOT'), '_') AS old_head,
       coalesce(CAST(n.head AS VARCHAR) || ' ' || coalesce(g.form, 'ROOT'), '_') AS new_head,
       CASE WHEN o.head = 0 THEN 'ROOT' ELSE coalesce(f.upos, '_') END AS old_head_upos,
       CASE WHEN n.head = 0 THEN 'ROOT' ELSE coalesce(g.upos, '_') END AS new_head_upos,
       CASE WHEN o.head IS NULL OR o.head = 0 THEN o.head IS NOT DISTINCT FROM n.head
            ELSE coalesce(h.new_sentence = p.new_sentence AND h.new_word = n.head, false) END AS same_head,
       coalesce(o.deprel, '_') AS old_deprel,
       coalesce(n.deprel, '_') AS new_deprel,
       o.deprel IS NOT DISTINCT FROM n.deprel AS same_deprel,
       coalesce(o.deps, '_') AS old_deps,
       coalesce(n.deps, '_') AS new_deps,
       coalesce(d.edge_relations, '_') AS old_relations,
       coalesce(e.edge_relations, '_') AS new_relations,
       d.edges IS NOT DISTINCT FROM e.edges AS same_deps,
       coalesce(o.misc, '_') AS old_misc,
       coalesce(n.misc, '_') AS new_misc,
       o.misc IS NOT DISTINCT FROM n.misc AS same_misc
FROM version_words AS p
JOIN words AS o ON o.corpus = $old_corpus AND o.sentence = p.old_sentence AND o.word = p.old_word
JOIN words AS n ON n.corpus = $new_corpus AND n.sentence = p.new_sentence AND n.word = p.new_word
LEFT JOIN version_words AS h ON h.old_sentence = p.old_sentence AND h.old_word = o.head
LEFT JOIN words AS f ON f.corpus = $old_corpus AND f.sentence = p.old_sentence AND f.word = o.head
LEFT JOIN words AS g ON g.corpus = $new_corpus AND g.sentence = p.new_sentence AND g.word = n.head
LEFT JOIN version_mapped_deps AS d
    ON d.old_sentence = p.old_sentence AND d.old_word = p.old_word AND d.old_index = 0
LEFT JOIN version_new_deps AS e
    ON e.new_sentence = p.new_sentence AND e.new_word = p.new_word AND e.new_index = 0
