-- aligned_attachment: heads and relations of a system whose words and sentences may differ from the gold ones; one row
--   per aligned pair, and per word of either side without a counterpart.
-- kind: metric
-- engine: kernel: aligned_words aligns words
-- parameters: as attachment (gold_corpus, system_corpus)
-- parameter punctuation TEXT(all|form|relation) = all: which words are scored: all; form, without words that consist of
--   characters of Unicode category P; relation, without words with deprel punct or upos PUNCT in their own tree
-- parameters: as attachment (relations)
-- audit counterpart_correspondence
-- audit unparsed_gold
-- column sentence INTEGER: the gold corpus's sentence; of a word that only the system has, the one in which it begins
-- column word INTEGER: position of the gold word; NULL if there is none
-- column system_sentence INTEGER: the system's sentence; NULL where it has no such word
-- column system_word INTEGER: position of the system's word; NULL likewise
-- column form VARCHAR: the word in the gold tree
-- column system_form VARCHAR: the word in the system's tree
-- column upos VARCHAR: gold part of speech
-- column gold_head INTEGER: head in the gold tree
-- column system_head INTEGER: head in the system's tree, a position in its own sentence
-- column gold_deprel VARCHAR: relation in the gold tree
-- column system_deprel VARCHAR: relation in the system's tree
-- column gold_udeprel VARCHAR: gold relation cut at `:`
-- column system_udeprel VARCHAR: the system's relation cut at `:`
-- count gold_words BIGINT: 1 for every gold word
-- count system_words BIGINT: 1 for every word of the system
-- count aligned_pairs BIGINT: 1 for every pair of aligned words
-- column correct_head BIGINT: 1 if both are roots, or their heads are aligned with each other
-- column correct_relation BIGINT: 1 if the relation is right
-- column correct_edge BIGINT: 1 if both are right
-- score uas percent higher = 2 * sum(correct_head) / nullif(sum(gold_words) + sum(system_words), 0): F1 of heads
-- score uas_precision percent higher = sum(correct_head) / nullif(sum(system_words), 0): right heads among the system's
--   words
-- score uas_recall percent higher = sum(correct_head) / nullif(sum(gold_words), 0): right heads among the gold words
-- score las percent higher = 2 * sum(correct_edge) / nullif(sum(gold_words) + sum(system_words), 0): F1 of heads with relations
-- score las_precision percent higher = sum(correct_edge) / nullif(sum(system_words), 0): right heads with relations
--   among the system's words
-- score las_recall percent higher = sum(correct_edge) / nullif(sum(gold_words), 0): right heads with relations among
--   the gold words
-- score la percent higher = 2 * sum(correct_relation) / nullif(sum(gold_words) + sum(system_words), 0): F1 of relations
-- score la_precision percent higher = sum(correct_relation) / nullif(sum(system_words), 0): right relations among the
--   system's words
-- score la_recall percent higher = sum(correct_relation) / nullif(sum(gold_words), 0): right relations among the gold
--   words
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies
SELECT p.sentence, p.word, p.system_sentence, p.system_word, p.form, p.system_form, p.upos, p.gold_head,
       p.system_head, p.gold_deprel, p.system_deprel, p.gold_udeprel, p.system_udeprel, p.gold_words, p.system_words, p.aligned_pairs,
       p.correct_head, p.correct_relation, p.correct_head * p.correct_relation AS correct_edge
FROM (SELECT c.sentence, c.word, c.system_sentence, c.system_word, c.form, c.system_form, c.upos, c.gold_head,
             c.system_head, c.gold_deprel, c.system_deprel, c.gold_udeprel, c.system_udeprel, c.gold_words, c.system_words, c.aligned_pairs,
             c.correct_head,
             CAST(CASE WHEN c.aligned_pairs = 0 THEN 0
                  WHEN $relations = 'full' AND coalesce(c.gold_deprel, '_') = coalesce(c.system_deprel, '_') THEN 1
                  WHEN $relations = 'universal' AND coalesce(c.gold_udeprel, '_') = coalesce(c.system_udeprel, '_') THEN 1
                  ELSE 0 END AS BIGINT) AS correct_relation
      FROM counterpart_words AS c
      WHERE $punctuation = 'all'
         OR ($punctuation = 'form' AND NOT regexp_full_match(coalesce(c.form, c.system_form), '\p{P}+'))
         OR ($punctuation = 'relation'
             AND coalesce(CASE WHEN c.gold_words = 1 THEN c.gold_udeprel ELSE c.system_udeprel END, '') <> 'punct'
             AND coalesce(CASE WHEN c.gold_words = 1 THEN c.upos ELSE c.system_upos END, '') <> 'PUNCT')) AS p
