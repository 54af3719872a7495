-- symmetrised: symmetrised alignment, from two directional alignments, source to target and target to source; one row
--   per link.
-- kind: relation
-- engine: kernel: symmetrise chooses links depending on neighbouring links
-- parameters: as directions_correspondence (forward_corpus)
-- parameter backward_corpus TEXT: the second alignment, with the same source and target words as the first
-- parameter method TEXT(intersection|union|grow-diag|grow-diag-final|grow-diag-final-and) = grow-diag-final-and: which
--   links of the union of both are taken
-- parameter variant TEXT(either|both) = either: which words of a link are not linked yet when it is taken beside another:
--   at least one of them (as in atools), or both
-- audit directions_correspondence
-- column sentence INTEGER: the sentence
-- column source INTEGER: position of the source word
-- column target INTEGER: position of the target word
-- source: Koehn et al. 2005, Edinburgh system description for the 2005 IWSLT speech translation evaluation; Dyer,
--   Chahuneau & Smith 2013, A simple, fast, and effective reparameterization of IBM model 2 (atools, whose order of
--   links is kept)
SELECT k.sentence, k.link.source AS source, k.link.target AS target
FROM (SELECT u.sentence, unnest(symmetrise(list_transform(u.links, lambda x: x.source_word),
                                          list_transform(u.links, lambda x: x.target_word),
                                          list_transform(u.links, lambda x: x.direction), $method, $variant)) AS link
      FROM (SELECT l.sentence,
                   list_sort(list(struct_pack(source_word := l.source, target_word := l.target,
                                              direction := CASE WHEN l.gold_sure IS NULL THEN 2
                                                                WHEN l.system_sure IS NULL THEN 1 ELSE 3 END))) AS links
            FROM linked_words(gold_corpus := $forward_corpus, system_corpus := $backward_corpus) AS l
            WHERE l.source > 0 AND l.target > 0
            GROUP BY l.sentence) AS u) AS k
ORDER BY k.sentence, k.link.source, k.link.target
