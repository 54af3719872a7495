-- fertilities: number of links of the words of an alignment, by which scores are grouped; one row per source word with a
--   link.
-- kind: attributes
-- parameter alignment_corpus TEXT: the alignment
-- column sentence INTEGER: the sentence
-- column source INTEGER: position of the source word; 0 for null links
-- column fertility BIGINT: number of its links, sure or possible
-- source: Brown et al. 1993, The mathematics of statistical machine translation (fertility)
SELECT l.sentence, l.source, CAST(count(*) AS BIGINT) AS fertility
FROM alignments AS l
WHERE l.corpus = $alignment_corpus
GROUP BY l.sentence, l.source
