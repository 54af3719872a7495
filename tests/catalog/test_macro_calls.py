"""Calls of macros that are written out: fewer branches, equal texts."""

from __future__ import annotations

import itertools

from treesql.catalog import Statement, macro_calls
from treesql.readers import Options
from treesql.storage.loading import connect_to_rows

CALLS = {
    "SELECT normalised_text($string, $lowercase, $punctuation, $unicode_form)": (
        {"lowercase": ("no", "yes"), "punctuation": ("keep", "remove"), "unicode_form": ("given", "nfc")}
    ),
    "SELECT tokens_of($string, $tokenize)": {"tokenize": ("none", "13a", "intl", "zh", "char")},
    "SELECT tercom_tokens(CASE WHEN $case = 'yes' THEN t.s ELSE lower_case(t.s) END, $normalized, 'no')\n"
    "FROM (SELECT CAST($string AS VARCHAR) AS s) AS t": (
        {"case": ("yes", "no"), "normalized": ("no", "western", "asian")}
    ),
    "SELECT compared_text($string, $measure, $tokenize)": (
        {"measure": ("wer", "bleu", "ter", "chrf"), "tokenize": ("none", "13a")}
    ),
    "SELECT [split_text($string), chrf_words($string), split_words($string), split_text(lower_case($string))]": {},
}
"""Statements, with the values of their parameters that choose branches."""

TEXTS = ["", "ΣΟΦΟΣ, it's &quot;1,5&quot; -- A\u00a0B\tc  d", "e\u0301 日本、語 «x» 'y' $z (2-3) don\u2019t."]


def test_written_out_calls_have_the_rows_of_the_macros() -> None:
    with connect_to_rows({}, Options()) as engine:
        for sql, choices in CALLS.items():
            for chosen in itertools.product(*choices.values()):
                values = dict(zip(choices, chosen, strict=True))
                written = macro_calls.write_out(sql, values)
                assert written != sql
                for text in TEXTS:
                    expected, found = (
                        engine.connection.execute(one, Statement((), one).bind({**values, "string": text})).fetchall()
                        for one in (sql, written)
                    )
                    assert found == expected, written


def test_branches_that_literals_rule_out_are_left_out() -> None:
    values = {"lowercase": "no", "punctuation": "keep", "unicode_form": "given", "tokenize": "none"}
    sql = "SELECT normalised_text(w.form, $lowercase, $punctuation, $unicode_form) FROM words AS w"
    written = macro_calls.write_out(sql, values)
    assert written.replace("(", "").replace(")", "").split() == ["SELECT", "w.form", "FROM", "words", "AS", "w"]
    written = macro_calls.write_out("SELECT tokens_of(w.form, $tokenize) FROM words AS w", values)
    assert "regexp_replace" not in written
    assert "regexp_extract_all" in written


def test_what_is_not_known_stays() -> None:
    """Values of columns and of parameters without a text, names in strings, and macros without branches of texts; what
    conditions of users may have: arguments by name, calls as methods, further notations of comments and strings.
    """
    for sql in (
        "SELECT normalised_text(w.form, w.lemma, w.upos, w.xpos) FROM words AS w",
        "SELECT 'tokens_of(a, b)' AS tokens_of",
        "SELECT remove_punctuation(w.form || w.lemma, $known) FROM words AS w",
        "SELECT pmi(1, 2, 3, 4)",
        "SELECT lower_case(string := w.form), lower_case(string => w.form), lower_case() FROM words AS w",
        "SELECT lower_case(w.form /* ) */), lower_case(CASE WHEN w.head = 0 THEN w.form /* CASE */ END)",
        "SELECT lower_case(E'it\\'s)'), lower_case($$it's)$$), lower_case($tag$($tag$)",
        "SELECT w.form.lower_case(), w.form . lower_case(), tokens_of(tokenisation := '13a', string := 'a')",
    ):
        assert macro_calls.write_out(sql, {"known": 1}) == sql
