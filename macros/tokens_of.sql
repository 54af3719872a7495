-- tokens_of: the words of a text by a tokenisation of sacrebleu.
-- kind: function
-- parameter string VARCHAR: the text
-- parameter tokenisation VARCHAR: 13a, intl, zh, char or none, which splits at white space as all others do at last
-- column tokens VARCHAR[]: the words in order
-- source: Post 2018, A call for clarity in reporting BLEU scores (sacrebleu 2.6)
split_text(CASE tokenisation
    WHEN '13a' THEN separate_punctuation(
        ' ' || replace(replace(replace(replace(replace(strip_end(string), '<skipped>', ''), '&quot;', '"'), '&amp;', '&'),
                               '&lt;', '<'), '&gt;', '>') || ' ')
    WHEN 'intl' THEN regexp_replace(regexp_replace(regexp_replace(
        strip_end(string),
        '([^' || character_class('N') || '])([' || character_class('P') || '])', '\1 \2 ', 'gs'),
        '([' || character_class('P') || '])([^' || character_class('N') || '])', ' \1 \2', 'gs'),
        '([' || character_class('S') || '])', ' \1 ', 'g')
    WHEN 'zh' THEN separate_punctuation(regexp_replace(
        strip_text(string),
        '([\x{2001}-\x{2a6d}\x{2e80}-\x{2fdf}\x{2ff0}-\x{303f}\x{3100}-\x{312f}\x{31a0}-\x{31ef}\x{3200}-\x{4db5}'
        || '\x{4e00}-\x{9fbb}\x{f900}-\x{fa2d}\x{fa30}-\x{fa6a}\x{fa70}-\x{fad9}\x{fe10}-\x{fe1f}\x{fe30}-\x{fe4f}'
        || '\x{ff00}-\x{ffef}])', ' \1 ', 'g'))
    WHEN 'char' THEN regexp_replace(string, '(.)', '\1 ', 'gs')
    ELSE string END)
