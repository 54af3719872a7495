-- tercom_normalized: a text as Tercom normalises it in Western languages.
-- kind: function
-- parameter string VARCHAR: the text
-- column normalized VARCHAR: the text with XML entities replaced, and blanks around punctuation and before 's
-- source: Snover et al. 2006, A study of translation edit rate (Tercom, Normalizer.java, as in sacrebleu 2.6)
regexp_replace(regexp_replace(regexp_replace(replace(regexp_replace(
    ' ' || replace(replace(replace(replace(strip_end(string), '&quot;', '"'), '&amp;', '&'), '&lt;', '<'), '&gt;', '>') || ' ',
    '([{-~\[-` -&(-+:-@/])', ' \1 ', 'g'), '''s ', ' ''s '),
    '([^0-9])([.,])', '\1 \2 ', 'g'), '([.,])([^0-9])', ' \1 \2', 'g'), '([0-9])(-)', '\1 \2 ', 'g')
