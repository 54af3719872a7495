-- all_checks: what a maintainer of a treebank looks at: the rows of all checks of consistency, and of the rules of
--   Universal Dependencies about trees; one row per finding.
-- kind: statistic
-- parameters: as treebank_forms (corpus_name)
-- column treebank VARCHAR: the treebank named when its corpora were loaded, or the corpus
-- column name VARCHAR: the statistic that lists it alone, or the rule of guideline_checks
-- column sent_id VARCHAR: its sentence, or that of an example: its sent_id, or else its 0-based number
-- column word INTEGER: position in the sentence
-- column form VARCHAR: the word
-- column what VARCHAR: what was found
-- source: Dickinson & Meurers 2003, Detecting errors in part-of-speech annotation; Boyd, Dickinson & Meurers 2008, On
--   detecting errors in dependency treebanks; de Marneffe et al. 2021, Universal Dependencies: validation of treebanks
--   (udtools of 2026, levels 2 and 3)
SELECT f.treebank, f.name, f.sent_id, f.word, f.form, f.what
FROM (SELECT t.treebank, 'variation_tags' AS name, t.sent_id, t.word, t.form,
             t.tag || ' ' || CAST(t.words AS VARCHAR) || ' of ' || CAST(t.all_words AS VARCHAR) || ' times in '
                 || t.before || ' _ ' || t.after AS what
      FROM tag_contexts(forms := 'form', tagset := 'upos') AS t
      WHERE t.tags_there > 1
      UNION ALL
      SELECT p.treebank, 'variation_relations', p.sent_id, p.word, p.form,
             p.relation || ' ' || CAST(p.words AS VARCHAR) || ' of ' || CAST(p.all_words AS VARCHAR) || ' times of '
                 || p.head_form || ' in ' || p.surrounding
      FROM pair_contexts(forms := 'form', surroundings := 'neighbours') AS p
      WHERE p.relations_there > 1
      UNION ALL
      SELECT s.treebank, 'single_relations', s.sent_id, s.word, s.form, s.relation || ' once'
      FROM single_relations AS s
      UNION ALL
      SELECT u.treebank, 'punctuation_words', u.sent_id, u.word, u.form,
             u.expected || ' punctuation, but PUNCT ' || CAST(u.punctuation_tags AS VARCHAR) || ' and punct '
                 || CAST(u.punctuation_relations AS VARCHAR) || ' of ' || CAST(u.words AS VARCHAR) || ' times'
      FROM punctuation_words AS u
      UNION ALL
      SELECT r.treebank, 'multiple_roots', r.sent_id, r.word, r.form, CAST(r.root_words AS VARCHAR) || ' roots'
      FROM multiple_roots AS r
      UNION ALL
      SELECT n.treebank, 'non_projective_words', n.sent_id, n.word, n.form,
             n.relation || ' of ' || n.head_form || ' is not projective'
      FROM non_projective_words AS n
      UNION ALL
      SELECT g.treebank, g.name, g.sent_id, g.word, g.form, g.what
      FROM guideline_checks AS g) AS f
ORDER BY f.treebank, f.name, length(f.sent_id), f.sent_id, f.word, f.form
