-- compared_text: a text as a measure of translations compares it, with blanks between its words.
-- kind: function
-- parameter string VARCHAR: the text
-- parameter measure VARCHAR: wer, per, ter, bleu or chrf; ter: the words of Tercom in lower case
-- parameter tokenisation VARCHAR: of bleu: none, 13a, intl, zh or char
-- column compared VARCHAR: the text
-- source: Post 2018, A call for clarity in reporting BLEU scores (sacrebleu 2.6)
CASE WHEN measure = 'ter' THEN array_to_string(tercom_tokens(lower_case(string), 'no', 'no'), ' ')
     WHEN measure = 'bleu' AND (tokenisation <> 'none' OR regexp_matches(string, '[' || character_class('wide space') || ']'))
     THEN array_to_string(tokens_of(string, tokenisation), ' ')
     ELSE string END
