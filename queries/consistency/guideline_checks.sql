-- guideline_checks: words that break a rule of Universal Dependencies about trees, as its validator has it at levels 2 and
--   3: roots, tags of relations, order of conjuncts and parts, function words with dependents; one row per word and rule.
-- kind: statistic
-- parameters: as treebank_forms (corpus_name)
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column name VARCHAR: the rule, as the validator calls it
-- column sent_id VARCHAR: the sentence: its sent_id, or else its 0-based number
-- column word INTEGER: position of the word; of rules about function words that of their dependent
-- column form VARCHAR: the word
-- column what VARCHAR: what breaks the rule
-- source: de Marneffe et al. 2021, Universal Dependencies: validation of treebanks (udtools of 2026, levels 2 and 3)
SELECT c.treebank, c.name, c.sent_id, c.word, c.form, c.what
FROM (SELECT w.treebank, CASE WHEN w.head = 0 THEN '0-is-not-root' ELSE 'root-is-not-0' END AS name, w.corpus, w.sentence,
             w.sent_id, w.word, w.form, w.deprel || ' with head ' || CAST(w.head AS VARCHAR) AS what
      FROM headed_words AS w
      WHERE (w.head = 0 AND w.relation <> 'root') OR (w.head > 0 AND w.relation = 'root')
      UNION ALL
      SELECT w.treebank, 'rel-upos-' || w.relation, w.corpus, w.sentence, w.sent_id, w.word, w.form,
             w.deprel || ' is ' || w.external_pos
      FROM headed_words AS w
      LEFT JOIN counted_dependents AS d ON d.corpus = w.corpus AND d.sentence = w.sentence AND d.word = w.word
      WHERE (w.relation = 'det' AND w.external_pos NOT IN ('DET', 'PRON'))
         OR (w.relation = 'nummod' AND w.external_pos NOT IN ('NUM', 'NOUN', 'SYM'))
         OR (w.relation = 'advmod' AND w.external_pos NOT IN ('ADV', 'ADJ', 'CCONJ', 'DET', 'PART', 'SYM')
             AND coalesce(d.split_parts, 0) = 0)
         OR (w.relation = 'expl' AND w.external_pos NOT IN ('PRON', 'DET', 'PART'))
         OR (w.relation = 'aux' AND w.external_pos <> 'AUX')
         OR (w.relation = 'cop' AND w.external_pos NOT IN ('AUX', 'PRON', 'DET', 'SYM'))
         OR (w.relation = 'case' AND w.external_pos IN ('PROPN', 'ADJ', 'PRON', 'DET', 'NUM', 'AUX'))
         OR (w.relation = 'mark' AND w.external_pos IN ('NOUN', 'PROPN', 'ADJ', 'PRON', 'DET', 'NUM', 'AUX', 'INTJ'))
         OR (w.relation = 'cc' AND w.external_pos IN ('NOUN', 'PROPN', 'ADJ', 'PRON', 'DET', 'NUM', 'VERB', 'AUX', 'INTJ'))
         OR (w.relation = 'punct' AND w.external_pos <> 'PUNCT')
      UNION ALL
      SELECT w.treebank, 'upos-rel-punct', w.corpus, w.sentence, w.sent_id, w.word, w.form, 'PUNCT is ' || w.deprel
      FROM headed_words AS w
      WHERE w.external_pos = 'PUNCT' AND w.relation NOT IN ('punct', 'root')
      UNION ALL
      SELECT w.treebank, 'rel-upos-fixed', w.corpus, w.sentence, w.sent_id, w.word, w.form,
             'a fixed expression with ' || w.external_pos
      FROM headed_words AS w
      LEFT JOIN counted_dependents AS d ON d.corpus = w.corpus AND d.sentence = w.sentence AND d.word = w.word
      WHERE w.external_pos = 'PROPN' AND (w.relation = 'fixed' OR d.fixed_words > 0)
      UNION ALL
      SELECT w.treebank, 'right-to-left-' || w.relation, w.corpus, w.sentence, w.sent_id, w.word, w.form,
             w.deprel || ' before its head ' || w.head_form
      FROM headed_words AS w
      WHERE w.relation IN ('conj', 'fixed', 'flat', 'goeswith', 'appos') AND w.word < w.head
      UNION ALL
      SELECT w.treebank,
             CASE w.head_relation WHEN 'mark' THEN 'leaf-mark-case' WHEN 'case' THEN 'leaf-mark-case'
                                  WHEN 'aux' THEN 'leaf-aux-cop' WHEN 'cop' THEN 'leaf-aux-cop'
                                  ELSE 'leaf-' || w.head_relation END,
             w.corpus, w.sentence, w.sent_id, w.word, w.form,
             w.head_form || ' is ' || w.head_relation || ' and has the dependent ' || w.form || ' (' || w.deprel || ')'
      FROM headed_words AS w
      WHERE ((w.head_relation IN ('mark', 'case', 'clf')
              AND w.relation NOT IN ('advmod', 'obl', 'goeswith', 'fixed', 'reparandum', 'conj', 'cc', 'punct'))
          OR (w.head_relation IN ('aux', 'cop')
              AND w.relation NOT IN ('goeswith', 'fixed', 'reparandum', 'conj', 'cc', 'punct'))
          OR (w.head_relation = 'det'
              AND w.relation NOT IN ('det', 'case', 'advmod', 'obl', 'clf', 'goeswith', 'fixed', 'flat', 'compound',
                                     'reparandum', 'discourse', 'parataxis', 'conj', 'cc', 'punct')
              AND NOT (w.head_possessive AND w.relation IN ('appos', 'acl', 'nmod')))
          OR (w.head_relation = 'cc' AND w.relation NOT IN ('goeswith', 'fixed', 'reparandum', 'conj', 'punct'))
          OR (w.head_relation = 'fixed' AND w.relation NOT IN ('goeswith', 'reparandum', 'conj', 'punct'))
          OR w.head_relation = 'goeswith'
          OR (w.head_relation = 'punct' AND w.relation <> 'punct'))
        AND NOT (w.head_relation <> 'punct' AND w.relation = 'advmod' AND coalesce(w.upos, '_') IN ('PART', 'ADV')
                 AND w.negation)
        AND NOT (w.relation = 'punct' AND NOT coalesce(w.head_projective, TRUE))
      UNION ALL
      SELECT w.treebank, 'too-many-subjects', w.corpus, w.sentence, w.sent_id, w.word, w.form,
             CAST(d.subjects AS VARCHAR) || ' subjects'
      FROM headed_words AS w
      JOIN counted_dependents AS d ON d.corpus = w.corpus AND d.sentence = w.sentence AND d.word = w.word
      WHERE d.subjects > 1
      UNION ALL
      SELECT w.treebank, 'too-many-objects', w.corpus, w.sentence, w.sent_id, w.word, w.form,
             CAST(d.objects AS VARCHAR) || ' objects'
      FROM headed_words AS w
      JOIN counted_dependents AS d ON d.corpus = w.corpus AND d.sentence = w.sentence AND d.word = w.word
      WHERE d.objects > 1
      UNION ALL
      SELECT w.treebank, 'goeswith-gap', w.corpus, w.sentence, w.sent_id, w.word, w.form,
             'other words stand between its parts'
      FROM headed_words AS w
      JOIN counted_dependents AS d ON d.corpus = w.corpus AND d.sentence = w.sentence AND d.word = w.word
      WHERE d.split_parts > 0 AND d.last_part - w.word <> d.split_parts
      UNION ALL
      SELECT w.treebank, 'obl-should-be-nmod', w.corpus, w.sentence, w.sent_id, w.word, w.form,
             w.deprel || ' of ' || w.head_form || ', ' || w.head_upos || ' and ' || w.head_relation
      FROM headed_words AS w
      JOIN counted_dependents AS d ON d.corpus = w.corpus AND d.sentence = w.sentence AND d.word = w.head
      WHERE w.relation = 'obl' AND w.head_upos IN ('NOUN', 'PROPN', 'PRON') AND d.clause_marks = 0
        AND w.head_relation IN ('nsubj', 'obj', 'iobj', 'obl', 'vocative', 'dislocated', 'expl', 'nmod')
      UNION ALL
      SELECT w.treebank, 'punct-is-nonproj', w.corpus, w.sentence, w.sent_id, w.word, w.form,
             w.deprel || ' is not projective'
      FROM headed_words AS w
      WHERE w.relation = 'punct' AND NOT w.projective
      UNION ALL
      SELECT p.treebank, 'punct-causes-nonproj', p.corpus, p.sentence, p.sent_id, p.word, p.form,
             p.deprel || ' stands in ' || CAST(count(*) AS VARCHAR) || CASE WHEN count(*) = 1 THEN ' edge' ELSE ' edges' END
      FROM headed_words AS p
      JOIN words AS m ON m.corpus = p.corpus AND m.sentence = p.sentence AND m.word = p.word
      JOIN words AS x ON x.corpus = p.corpus AND x.sentence = p.sentence
                     AND ((p.head < p.word AND x.word > p.head AND x.word < p.word AND x.head > p.word)
                       OR (p.head < p.word AND x.word > p.word AND x.head > p.head AND x.head < p.word)
                       OR (p.head > p.word AND x.word < p.word AND x.head > p.word AND x.head < p.head)
                       OR (p.head > p.word AND x.word > p.word AND x.word < p.head AND x.head < p.word))
      JOIN words AS h ON h.corpus = x.corpus AND h.sentence = x.sentence AND h.word = x.head
      WHERE p.relation = 'punct' AND NOT (m.enter BETWEEN h.enter AND h.leave)
      GROUP BY p.treebank, p.corpus, p.sentence, p.sent_id, p.word, p.form, p.deprel) AS c
ORDER BY c.treebank, c.name, c.corpus, c.sentence, c.word
