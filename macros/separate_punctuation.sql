-- separate_punctuation: a text with blanks around punctuation, but for the periods, commas and hyphens of numbers: what the
--   tokenisations 13a and zh of sacrebleu and that of Tercom share.
-- kind: function
-- parameter string VARCHAR: the text
-- column separated VARCHAR: the text with blanks
-- source: NIST, mteval-v13a.pl; Post 2018, A call for clarity in reporting BLEU scores (sacrebleu)
regexp_replace(regexp_replace(regexp_replace(regexp_replace(
    string, '([{-~\[-` -&(-+:-@/])', ' \1 ', 'g'), '([^0-9])([.,])', '\1 \2 ', 'g'), '([.,])([^0-9])', ' \1 \2', 'g'),
    '([0-9])(-)', '\1 \2 ', 'g')
