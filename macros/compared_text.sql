-- compared_text: a text as a measure of translations compares it, with blanks between its words.
-- kind: function
-- parameter string VARCHAR: the text
-- parameter measure VARCHAR: wer, per, ter, bleu or chrf; ter: the words of Tercom in lower case
-- parameter tokenisation VARCHAR: of bleu: none, 13a, intl, zh or char
-- column compared VARCHAR: the text
-- source: Post 2018, A call for clarity in reporting BLEU scores (sacrebleu 2.6)
CASE WHEN measure = 'bleu' AND tokenisation <> 'none' THEN array_to_string(tokens_of(string, tokenisation), ' ')
     WHEN measure NOT IN ('ter', 'bleu') THEN string
     WHEN regexp_matches(string, '[' || character_class('wide space') || ']')
     THEN array_to_string(split_text(CASE WHEN measure = 'ter' THEN lower_case(string) ELSE string END), ' ')
     WHEN measure = 'ter' THEN lower_case(string)
     ELSE string END
