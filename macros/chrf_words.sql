-- chrf_words: the words of a text as chrF++ has them: a word that ends in a punctuation mark of ASCII, or else begins with
--   one, becomes two.
-- kind: function
-- parameter string VARCHAR: the text
-- column forms VARCHAR[]: the words in order
-- source: Popović 2017, chrF++: words helping character n-grams (as in sacrebleu 2.6)
split_text(regexp_replace(regexp_replace(
    ' ' || regexp_replace(string, '[' || character_class('space') || ']+', '  ', 'g') || ' ',
    ' ([!-/:-@\[-`{-~])([^ ]*[^ !-/:-@\[-`{-~]) ', ' \1 \2 ', 'g'), ' ([^ ]+)([!-/:-@\[-`{-~]) ', ' \1 \2 ', 'g'))
