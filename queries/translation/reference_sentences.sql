-- reference_sentences: the sentences of one or several references, with the numbers of those that they correspond to; one
--   row per sentence and reference.
-- kind: relation
-- engine: duckdb: names of references are one text, in which Polars cannot search for another column's value
-- parameters: as position_independent_errors (reference_corpus, other_corpora, empty_references)
-- parameter numbered_as TEXT = : corpus of the lattices or hypotheses whose numbers are given to references: by id where
--   both have ids, else by order
-- column reference VARCHAR: the corpus of the reference
-- column reference_rank INTEGER: 0 for the first reference, greater for later ones
-- column sentence INTEGER: the sentence that it corresponds to
-- column reference_sentence INTEGER: its own number
-- column n_words INTEGER: number of its words
-- column text VARCHAR: its text; NULL where it has none
-- source: Papineni et al. 2002, BLEU: a method for automatic evaluation of machine translation (several references)
SELECT n.reference, n.reference_rank, n.sentence, n.reference_sentence, n.n_words, n.text
FROM (SELECT m.reference, m.reference_rank, m.sentence, m.reference_sentence, m.n_words, m.text,
             max(m.n_words) OVER (PARTITION BY m.sentence) AS most_words
      FROM (SELECT r.reference, r.reference_rank,
                   CASE WHEN i.reference IS NULL THEN r.reference_sentence ELSE l.sentence END AS sentence,
                   r.reference_sentence, r.n_words, r.text
            FROM (SELECT s.corpus AS reference, 0 AS reference_rank, s.sentence AS reference_sentence, s.sent_id, s.n_words,
                         s.text
                  FROM sentences AS s
                  WHERE s.corpus = $reference_corpus
                  UNION ALL
                  SELECT s.corpus AS reference,
                         CAST(strpos(',' || $other_corpora || ',', ',' || s.corpus || ',') AS INTEGER) AS reference_rank,
                         s.sentence AS reference_sentence, s.sent_id, s.n_words, s.text
                  FROM sentences AS s
                  WHERE $other_corpora <> '' AND s.corpus <> $reference_corpus
                    AND replace(',' || $other_corpora || ',', ',' || s.corpus || ',', '') <> ',' || $other_corpora || ',') AS r
            LEFT JOIN references_with_ids AS i ON i.reference = r.reference
            LEFT JOIN (SELECT o.reference, s.sentence, s.sent_id
                       FROM references_with_ids AS o
                       CROSS JOIN sentences AS s
                       WHERE s.corpus = $numbered_as AND s.sent_id IS NOT NULL) AS l
                ON l.reference = r.reference AND l.sent_id = r.sent_id
            WHERE i.reference IS NULL OR l.sentence IS NOT NULL) AS m) AS n
WHERE $empty_references = 'count' OR n.n_words > 0 OR n.most_words = 0
