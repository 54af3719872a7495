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
SELECT r.reference, r.reference_rank, r.sentence, r.reference_sentence, r.n_words, r.text
FROM (SELECT n.reference, n.reference_rank, n.sentence, n.reference_sentence, n.n_words, n.text,
             max(n.n_words) OVER (PARTITION BY n.sentence) AS most_words
      FROM (SELECT e.reference, e.reference_rank, CASE WHEN i.reference IS NULL THEN e.reference_sentence ELSE l.sentence END AS sentence,
                   e.reference_sentence, e.n_words, e.text
            FROM (SELECT s.corpus AS reference, 0 AS reference_rank, s.sentence AS reference_sentence, s.sent_id, s.n_words, s.text
                  FROM sentences AS s
                  WHERE s.corpus = $reference_corpus
                  UNION ALL
                  SELECT s.corpus AS reference,
                         CAST(strpos(',' || $other_corpora || ',', ',' || s.corpus || ',') AS INTEGER) AS reference_rank,
                         s.sentence AS reference_sentence, s.sent_id, s.n_words, s.text
                  FROM sentences AS s
                  WHERE $other_corpora <> '' AND s.corpus <> $reference_corpus
                    AND replace(',' || $other_corpora || ',', ',' || s.corpus || ',', '') <> ',' || $other_corpora || ',') AS e
            LEFT JOIN references_with_ids AS i ON i.reference = e.reference
            LEFT JOIN (SELECT s.sentence, s.sent_id
                       FROM sentences AS s
                       WHERE s.corpus = $numbered_as AND s.sent_id IS NOT NULL) AS l ON l.sent_id = e.sent_id
            WHERE i.reference IS NULL OR l.sentence IS NOT NULL) AS n) AS r
WHERE $empty_references = 'count' OR r.n_words > 0 OR r.most_words = 0
