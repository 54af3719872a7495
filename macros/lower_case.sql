-- lower_case: a text in lower case, as `str.lower` of Python has it: a final sigma is ς, and İ becomes two characters.
-- kind: function
-- parameter string VARCHAR: the text
-- column lower VARCHAR: the text in lower case
-- source: The Unicode Standard, 3.13, Default Case Algorithms (Final_Sigma)
lower(CASE WHEN contains(string, 'Σ') OR contains(string, 'İ')
           THEN regexp_replace(replace(string, 'İ', 'i̇'),
                               '([' || character_class('cased') || '][' || character_class('ignorable') || ']*)Σ(['
                               || character_class('ignorable') || ']*(?:[^' || character_class('cased')
                               || character_class('ignorable') || ']|$))', '\1ς\2', 'g')
           ELSE string END)
