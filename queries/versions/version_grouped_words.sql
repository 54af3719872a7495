-- version_grouped_words: labels of the aligned words of two versions of a corpus, with the groups of the words; one row per
--   pair of words.
-- kind: relation
-- engine: kernel: version_words
-- parameters: as version_sentences
-- parameters: as version_agreement_by (grouping)
-- column group_value VARCHAR: value of the group's words in the old version, `_` where it is unspecified; empty if they
--   are not grouped
-- column old_form VARCHAR: as in version_word_columns
-- column new_form VARCHAR: likewise
-- column same_form BOOLEAN: likewise
-- column old_lemma VARCHAR: as in version_word_columns
-- column new_lemma VARCHAR: likewise
-- column same_lemma BOOLEAN: likewise
-- column old_upos VARCHAR: as in version_word_columns
-- column new_upos VARCHAR: likewise
-- column same_upos BOOLEAN: likewise
-- column old_xpos VARCHAR: as in version_word_columns
-- column new_xpos VARCHAR: likewise
-- column same_xpos BOOLEAN: likewise
-- column old_feats VARCHAR: as in version_word_columns
-- column new_feats VARCHAR: likewise
-- column same_feats BOOLEAN: likewise
-- column old_head_upos VARCHAR: as in version_word_columns
-- column new_head_upos VARCHAR: likewise
-- column same_head BOOLEAN: likewise
-- column old_deprel VARCHAR: as in version_word_columns
-- column new_deprel VARCHAR: likewise
-- column same_deprel BOOLEAN: likewise
-- column old_relations VARCHAR: as in version_word_columns
-- column new_relations VARCHAR: likewise
-- column same_deps BOOLEAN: likewise
-- column old_misc VARCHAR: as in version_word_columns
-- column new_misc VARCHAR: likewise
-- column same_misc BOOLEAN: likewise
-- source: de Marneffe et al. 2021, Universal Dependencies: CoNLL-U format
SELECT CASE WHEN $grouping = 'upos' THEN coalesce(v.upos, '_')
            WHEN $grouping = 'deprel' THEN coalesce(v.deprel, '_') ELSE '' END AS group_value,
       v.old_form, v.new_form, v.same_form, v.old_lemma, v.new_lemma, v.same_lemma, v.old_upos, v.new_upos,
       v.same_upos, v.old_xpos, v.new_xpos, v.same_xpos, v.old_feats, v.new_feats, v.same_feats, v.old_head_upos,
       v.new_head_upos, v.same_head, v.old_deprel, v.new_deprel, v.same_deprel, v.old_relations, v.new_relations,
       v.same_deps, v.old_misc, v.new_misc, v.same_misc
FROM version_word_columns AS v
