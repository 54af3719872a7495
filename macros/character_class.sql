-- character_class: the characters of a class of Unicode, as the inside of a bracket of a regular expression.
-- kind: function
-- parameter class VARCHAR: P (punctuation), S (symbols), N (numbers) of Unicode 17, space (the white space of `str.split` of
--   Python), wide space (of these, all but blanks and tabs), cased or ignorable (what decides whether a sigma is final),
--   invisible (all other than blanks that show nothing: white space, controls, formats, fillers, variation selectors)
-- column characters VARCHAR: the class that DuckDB has, of Unicode 15, and the code points that it lacks
-- source: The Unicode Standard 17, UnicodeData.txt, PropList.txt and WordBreakProperty.txt
CASE class
    WHEN 'P' THEN
        '\p{P}\x{1b4e}\x{1b4f}\x{1b7f}\x{2e60}-\x{2e63}\x{10d6e}\x{10ed0}\x{113d4}\x{113d5}\x{113d7}\x{113d8}\x{11be1}'
        || '\x{16d6d}-\x{16d6f}\x{1e5ff}'
    WHEN 'S' THEN
        '\p{S}\x{20c1}-\x{20c4}\x{2427}-\x{2429}\x{2b96}\x{2ffc}-\x{2fff}\x{31e4}\x{31e5}\x{31ef}\x{fbc3}-\x{fbd2}\x{fd90}'
        || '\x{fd91}\x{fdc8}-\x{fdce}\x{10d8e}\x{10d8f}\x{10ec9}\x{10eca}\x{10ed1}-\x{10ed8}\x{1cc00}-\x{1ccef}'
        || '\x{1ccfa}-\x{1ccfc}\x{1cd00}-\x{1ceb3}\x{1ceba}-\x{1ced0}\x{1ced2}-\x{1ced4}\x{1cedd}-\x{1cefd}'
        || '\x{1d1eb}-\x{1d1ff}\x{1d253}-\x{1d25a}\x{1d25d}\x{1d25e}\x{1d260}-\x{1d27f}\x{1db00}-\x{1db1c}\x{1f1ae}'
        || '\x{1f6d8}\x{1f6d9}\x{1f777}-\x{1f77a}\x{1f7da}\x{1f7db}\x{1f7f1}-\x{1f7ff}\x{1f8b2}-\x{1f8bb}\x{1f8c0}'
        || '\x{1f8c1}\x{1f8d0}-\x{1f8d8}\x{1fa54}-\x{1fa57}\x{1fa89}-\x{1fa8f}\x{1fabe}\x{1fac6}\x{1fac8}\x{1facc}'
        || '\x{1facd}\x{1fadc}\x{1fadd}\x{1fadf}\x{1fae9}-\x{1faeb}\x{1faef}\x{1faf9}\x{1fafa}\x{1fbcb}-\x{1fbef}'
        || '\x{1fbfa}'
    WHEN 'N' THEN
        '\p{N}\x{10d40}-\x{10d49}\x{116d0}-\x{116e3}\x{11bf0}-\x{11bf9}\x{11de0}-\x{11de9}\x{1246f}\x{12475}-\x{1247f}'
        || '\x{12550}-\x{12686}\x{16130}-\x{16139}\x{16d70}-\x{16d79}\x{16ff4}-\x{16ff6}\x{1ccf0}-\x{1ccf9}'
        || '\x{1e5f1}-\x{1e5fa}'
    WHEN 'space' THEN
        '\x{09}-\x{0d}\x{1c}-\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}'
    WHEN 'wide space' THEN '\x{0b}-\x{0d}\x{1c}-\x{1f}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}'
    WHEN 'invisible' THEN
        '\p{C}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{34f}\x{115f}\x{1160}\x{17b4}'
        || '\x{17b5}\x{180b}-\x{180f}\x{2800}\x{3164}\x{fe00}-\x{fe0f}\x{ffa0}\x{e0100}-\x{e01ef}'
    WHEN 'cased' THEN
        '\p{Lu}\p{Ll}\p{Lt}\x{aa}\x{ba}\x{2160}-\x{217f}\x{24b6}-\x{24e9}\x{1f130}-\x{1f149}\x{1f150}-\x{1f169}'
        || '\x{1f170}-\x{1f189}'
    WHEN 'ignorable' THEN
        '\p{Mn}\p{Me}\p{Cf}\p{Lm}\p{Sk}''.:\x{b7}\x{387}\x{55f}\x{5f4}\x{2018}\x{2019}\x{2024}\x{2027}\x{fe13}\x{fe52}'
        || '\x{fe55}\x{ff07}\x{ff0e}\x{ff1a}' END
