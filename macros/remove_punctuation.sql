-- remove_punctuation: a text without punctuation, if asked.
-- kind: function
-- parameter string VARCHAR: the text
-- parameter punctuation VARCHAR: keep, or remove: without characters of the category P of Unicode
-- column text VARCHAR: the text
-- source: The Unicode Standard 17, UnicodeData.txt
CASE WHEN punctuation = 'remove' THEN regexp_replace(string, '[' || character_class('P') || ']', '', 'g') ELSE string END
