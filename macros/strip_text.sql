-- strip_text: a text without the white space at its ends, which is that of `split_text`.
-- kind: function
-- parameter string VARCHAR: the text
-- column stripped VARCHAR: the text between
-- source: Python 3, str.strip
regexp_replace(strip_end(string), '^[' || character_class('space') || ']+', '')
