-- split_text: the words of a text, between white space as `str.split` of Python has it: that of ASCII, U+001C to U+001F,
--   and that of Unicode, such as no-break spaces.
-- kind: function
-- parameter string VARCHAR: the text
-- column forms VARCHAR[]: its words in order
-- source: Python 3, str.split; The Unicode Standard, White_Space
regexp_extract_all(string, '[^' || character_class('space') || ']+')
