-- strip_end: a text without the white space at its end, which is that of `split_text`.
-- kind: function
-- parameter string VARCHAR: the text
-- column stripped VARCHAR: the text before it
-- source: Python 3, str.rstrip
regexp_replace(string, '[' || character_class('space') || ']+$', '')
