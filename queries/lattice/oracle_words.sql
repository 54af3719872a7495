-- oracle_words: the words of the path of every lattice that is nearest to a reference, as a translation that can be
--   scored; one row per word.
-- kind: relation
-- engine: kernel: nearest_path and the related functions find paths
-- parameters: as tau_span (lattice_corpus, reference_corpus, other_corpora)
-- parameter measure TEXT(ger|gwer|pmed|gper|bleu) = ger: what the path minimises or maximises, as in oracle_paths
-- audit lattice_correspondence
-- column sentence INTEGER: its lattice
-- column word INTEGER: 1-based position on the path
-- column form VARCHAR: the word
-- source: Bernreuther 2005, Lattice evaluation techniques, table 2.1 (oracle hypotheses scored by other measures)
SELECT o.sentence, CAST(unnest(range(1, len(o.path_forms) + 1)) AS INTEGER) AS word, unnest(o.path_forms) AS form
FROM oracle_paths AS o
