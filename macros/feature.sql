-- feature: the value of an attribute of a FEATS or MISC string; NULL if it is absent.
-- kind: function
-- parameter feats VARCHAR: the string, for example `words.feats` or `words.misc`
-- parameter name VARCHAR: the attribute, for example `Number` or `Number[psor]`
-- column value VARCHAR: its value, for example `Sing`
-- source: CoNLL-U format, Universal Dependencies
nullif(string_split(string_split('|' || feats, '|' || name || '=')[2], '|')[1], '')
