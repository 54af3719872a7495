-- split_words: the words of a line, between blanks and tabs.
-- kind: function
-- parameter string VARCHAR: the line
-- column forms VARCHAR[]: its words in order
-- source: Post 2018, A call for clarity in reporting BLEU scores (words of given text)
CASE WHEN string = '' THEN CAST([] AS VARCHAR[])
     WHEN contains(string, '  ') OR contains(string, chr(9)) OR left(string, 1) = ' ' OR right(string, 1) = ' '
     THEN regexp_extract_all(string, '[^ \t]+')
     ELSE string_split(string, ' ') END
