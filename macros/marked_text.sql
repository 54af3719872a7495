-- marked_text: a text in which one sees what distinguishes it from another: where the two differ in blanks, invisible
--   characters or composition, these are written as `\u00a0`, and a `\u` of the text itself as `\u005cu`.
-- kind: function
-- parameter string VARCHAR: the text
-- parameter other VARCHAR: the text that it is compared with
-- column marked VARCHAR: the text; blanks stay that stand alone between other characters
-- source: The Unicode Standard, 4.5, General Category; UAX 15, Unicode Normalization Forms
CASE WHEN string = other OR other IS NULL OR NOT regexp_matches(string || other, '[^!-~ ]|  |\\u')
          AND NOT regexp_matches(string, '^ | $') AND NOT regexp_matches(other, '^ | $') THEN string
     WHEN regexp_extract_all(string, ' {2,}|^ | $|[' || character_class('invisible') || ']')
              <> regexp_extract_all(other, ' {2,}|^ | $|[' || character_class('invisible') || ']')
          OR nfc_normalize(regexp_replace(string, '[ ' || character_class('invisible') || ']', '', 'g'))
              = nfc_normalize(regexp_replace(other, '[ ' || character_class('invisible') || ']', '', 'g'))
     THEN array_to_string(
         [CASE WHEN regexp_full_match(c, '[' || character_class('invisible') || ']')
                    OR nfc_normalize(string) = nfc_normalize(other) AND regexp_full_match(c, '[^\x{0}-\x{7f}]')
               THEN format('\u{:04x}', unicode(c)) ELSE c END
          FOR c IN regexp_extract_all(
              replace(regexp_replace(regexp_replace(replace(string, '\u', '\u005cu'), '^ ', '\\u0020'), ' $', '\\u0020'),
                      '  ', ' \u0020'),
              '(?s:.)')], '')
     ELSE string END
