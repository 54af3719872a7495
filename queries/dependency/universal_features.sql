-- universal_features: FEATS strings with the features that Universal Dependencies define for all languages; one row per
--   distinct string that has any.
-- kind: relation
-- engine: duckdb: concatenates the features in a fixed order
-- column feats VARCHAR: the whole string
-- column universal VARCHAR: its universal features, sorted
-- source: Zeman et al. 2018, CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies (the
--   scorer's list of features)
SELECT f.feats, string_agg(f.name || '=' || coalesce(f.value, ''), '|' ORDER BY f.name, f.value) AS universal
FROM features AS f
WHERE f.name IN ('PronType', 'NumType', 'Poss', 'Reflex', 'Foreign', 'Abbr', 'Gender', 'Animacy', 'Number', 'Case',
                 'Definite', 'Degree', 'VerbForm', 'Mood', 'Tense', 'Aspect', 'Voice', 'Evident', 'Polarity', 'Person',
                 'Polite')
GROUP BY f.feats
