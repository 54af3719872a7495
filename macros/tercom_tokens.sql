-- tercom_tokens: the words of a text as the metric TER has them.
-- kind: function
-- parameter string VARCHAR: the text
-- parameter normalized VARCHAR: no, western: XML entities are replaced, and punctuation is separated from words; or asian:
--   Chinese characters and Asian punctuation as well
-- parameter removed VARCHAR: no, western: .,?:;!"() are removed; or asian: Asian punctuation as well
-- column tokens VARCHAR[]: the words in order
-- source: Snover et al. 2006, A study of translation edit rate (Tercom, Normalizer.java, as in sacrebleu 2.6)
split_text(regexp_replace(
    CASE normalized WHEN 'no' THEN string
        WHEN 'western' THEN tercom_normalized(string)
        ELSE regexp_replace(regexp_replace(regexp_replace(tercom_normalized(string),
            '([\x{2e80}-\x{2eff}\x{31c0}-\x{31ef}\x{3300}-\x{33ff}\x{3400}-\x{4dbf}\x{4e00}-\x{9fff}\x{f900}-\x{faff}'
            || '\x{fe30}-\x{fe4f}])', ' \1 ', 'g'),
            '([\x{3200}-\x{3f22}])', ' \1 ', 'g'),
            '([\x{3001}\x{3002}\x{3008}-\x{3011}\x{3014}-\x{301f}\x{ff61}-\x{ff65}\x{30fb}\x{ff0e}\x{ff0c}\x{ff1f}\x{ff1a}'
            || '\x{ff1b}\x{ff01}\x{ff02}\x{ff08}\x{ff09}])', ' \1 ', 'g') END,
    CASE removed WHEN 'no' THEN '[^\x{00}-\x{10ffff}]' WHEN 'western' THEN '[.,?:;!"()]'
        ELSE '[.,?:;!"()\x{3001}\x{3002}\x{3008}-\x{3011}\x{3014}-\x{301f}\x{ff61}-\x{ff65}\x{30fb}\x{ff0e}\x{ff0c}\x{ff1f}'
             || '\x{ff1a}\x{ff1b}\x{ff01}\x{ff02}\x{ff08}\x{ff09}]' END, '', 'g'))
