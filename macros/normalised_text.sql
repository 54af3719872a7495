-- normalised_text: a text after the declared steps of normalisation, in this order: Unicode form, punctuation, case.
-- kind: function
-- parameter string VARCHAR: the text
-- parameter lowercase VARCHAR: no, or yes: letters are in lower case
-- parameter punctuation VARCHAR: keep, or remove: without characters of the category P of Unicode
-- parameter unicode_form VARCHAR: given, or nfc: composed characters
-- column normalised VARCHAR: the text
-- source: The Unicode Standard, Annex 15, Unicode Normalization Forms
CASE WHEN lowercase = 'yes'
     THEN lower_case(remove_punctuation(CASE WHEN unicode_form = 'nfc' THEN nfc_normalize(string) ELSE string END, punctuation))
     ELSE remove_punctuation(CASE WHEN unicode_form = 'nfc' THEN nfc_normalize(string) ELSE string END, punctuation) END
