-- features: every attribute of every distinct FEATS or MISC string: join it by `words.feats` (or `words.misc`); one row
--   per attribute.
-- kind: view
-- engine: duckdb: lists
-- column feats VARCHAR: the whole string, for example `Number=Sing|Person=3`
-- column name VARCHAR: name of the attribute, for example `Number`
-- column value VARCHAR: its value, for example `Sing`; NULL for an entry without `=`
-- source: CoNLL-U format, Universal Dependencies, columns FEATS and MISC
SELECT l.feats, unnest(l.name_list) AS name, unnest(l.value_list) AS value
FROM feature_lists AS l
