"""Requests are read, or refused with the place and what was expected there."""

from __future__ import annotations

import pytest

from tests.house.rules import in_turn
from treesql.errors import RequestError
from treesql.search.grew import parser, syntax
from treesql.search.grew.lexer import Regex

WRONG = [
    ("patern { X [] }", 1, "found `patern`", "expected `pattern`, `with`, `without` or `global`"),
    ("pattern X [] }", 9, "found `X`", "expected `{`"),
    ("pattern { X [upos=VERB }", 24, "found `}`", "expected `|`, `,` or `]`"),
    ("pattern { X [upos=VERB]", 24, "the request ends here", "expected `;` or `}`"),
    ("pattern { X [upos=] }", 19, "found `]`", "expected a value"),
    ("pattern { X [upos VERB] }", 19, "found `VERB`", "expected `=`, `<>`, `,` or `]`"),
    ("pattern { X [=VERB] }", 14, "found `=`", "expected the name of a feature"),
    ("pattern { X Y }", 13, "found `Y`", "expected `[`, `->`"),
    ("pattern { X -[nsubj-> Y }", 21, "`>` is not allowed in a label", "labels end in `]->`"),
    ("pattern { X -[nsubj] Y }", 20, "`]` is not allowed in a label", "labels end in `]->`"),
    ("pattern { X -[]-> Y }", 15, "found `]->`", "expected a relation, or a test such as `1=nsubj`"),
    ("pattern { X -[1=nsubj, 2]-> Y }", 25, "found `]->`", "expected `=` or `<>`; `2=*` requires that it exists"),
    ("pattern { X [Number | upos] }", 21, "found `|`", "expected `=`, `<>`, `,` or `]`"),
    ("pattern { X [!Number=Sing] }", 21, "found `=`", "expected `,` or `]`"),
    ("pattern { X -[nsubj, obj]-> Y }", 20, "found `,`", "expected `|` or `]->`"),
    ("pattern { X -[nsubj|1=obj]-> Y }", 22, "found `=`", "expected `|` or `]->`"),
    ("pattern { X -[^1=obj]-> Y }", 17, "found `=`", "expected `|` or `]->`"),
    ("pattern { X -[1=obj !2]-> Y }", 21, "found `!`", "expected `|`, `,` or `]->`"),
    ("pattern { X -[1=obj, !2=pass]-> Y }", 24, "found `=`", "expected `,` or `]->`"),
    ("pattern { X - Y }", 13, "`-` alone is not an edge", "an edge is written"),
    ("pattern { X -> }", 16, "found `}`", "expected the node at the end of the edge, or `*`"),
    ("pattern { * -> * }", 11, "an edge from `*` to `*` binds nothing", "name one of its nodes"),
    ("pattern { e: X -> * }", 11, "the edge e has an unbound end", "name both nodes, or not the edge"),
    ("pattern { X.upos = VERB|AUX }", 24, "`|` is not allowed here", "`X [upos=...|...]`"),
    ("pattern { X.upos < VERB }", 20, "found `VERB`", "expected a number or a feature such as `Y.lemma`"),
    ('pattern { X [form="a] }', 19, "a text is not closed", 'close it with `"`'),
    ('pattern { X [form=re"a] }', 21, "a text is not closed", 'close it with `"`'),
    ('pattern { X [form=re"a[b"] }', 22, "`[` of the expression is not closed", "close it"),
    ('pattern { X [form=re"\\\\(a\\\\)\\\\1"] }', 22, "`\\1` refers back to a group", "not supported"),
    ("pattern { X [form=é!] }", 20, "found `!`", "expected `|`, `,` or `]`"),
    ("pattern { X [form=€] }", 19, "`€` has no meaning here", "texts with such characters are quoted"),
    ("pattern { delta(X,Y) = a }", 24, "found `a`", "expected a number"),
    ("pattern { delta(X) = 1 }", 18, "found `)`", "expected `,`"),
    ("global { is_round }", 10, "found `is_round`", "expected `is_projective` or"),
    ("pattern { global.round }", 18, "found `round`", "expected `is_projective` or"),
    ("pattern { ! X }", 15, "found `}`", "expected `.`"),
    ("pattern { X [!Number/upos=NOUN] }", 21, "found `/`", "expected `,` or `]`"),
    ("pattern { height(X) }", 21, "found `}`", "expected `=` or `<>`"),
    ("pattern { X < }", 15, "found `}`", "expected a node or an edge"),
]


@in_turn(("text", "column", "what", "hint"), WRONG)
def test_errors_point_at_the_place(text: str, column: int, what: str, hint: str) -> None:
    with pytest.raises(RequestError) as raised:
        parser.parse(text)
    error = raised.value
    assert (error.line, error.column, error.what) == (1, column, what)
    assert hint in error.hint
    assert str(error).splitlines()[-1] == "  " + " " * (column - 1) + "^"


def test_errors_in_later_lines() -> None:
    with pytest.raises(RequestError) as raised:
        parser.parse("pattern { X [] }\nwithout {\n  X.a <\n}")
    assert (raised.value.line, raised.value.column) == (4, 1)
    assert str(raised.value).startswith("line 4, column 1: found `}`; expected a number")


KEYS = [
    ("X.", 3, "expected the name of a feature"),
    ("X.a,", 5, "expected a key such as `X.lemma`"),
    ("X.a b", 5, "expected `,` or the end"),
    ("X -> ", 6, "expected a node"),
    ("X.a[gap=0]", 10, "expected a `gap` above 0"),
    ("X.a[size=1]", 5, "expected `gap`, `min` or `max`"),
    ("X.a[gap=1, gap=2]", 12, "expected `gap`, `min` or `max`, each once"),
    ("(X.a, X.b", 10, "expected `,` or `)`"),
]


@in_turn(("text", "column", "hint"), KEYS)
def test_errors_in_keys(text: str, column: int, hint: str) -> None:
    with pytest.raises(RequestError) as raised:
        parser.parse_keys(text)
    assert raised.value.column == column
    assert hint in raised.value.hint


def test_names_of_keys() -> None:
    text = "X.lemma,(X.upos, e.label), V#S#O,delta( X,Y ), X -> Y, S.D[gap=100, min=0], X.ExtPos/upos, meta.a, sent_id"
    assert [key.name for key in parser.parse_keys(text)] == [
        "X.lemma", "X.upos", "e.label", "V#S#O", "delta( X,Y )", "X -> Y", "S.D[gap=100, min=0]", "X.ExtPos/upos",
        "meta.a", "sent_id",
    ]  # fmt: skip
    [key] = parser.parse_keys("whether X << Y; Y [upos=VERB]")
    assert isinstance(key.term, syntax.WhetherKey)
    assert len(key.term.clauses) == 2
    assert parser.parse_whether("{ X << Y }").name == "{ X << Y }"


@in_turn(
    ("written", "pattern"),
    [
        (r's.*', "s.*"),
        (r'a\\|b', "a|b"),
        (r'a|b', r"a\|b"),
        (r'\\(ab\\)+', "(ab)+"),
        (r'(a)', r"\(a\)"),
        (r'a{2}', r"a\{2\}"),
        (r'[]a-c]x', r"[\]a-c]x"),
        (r'[^]a]', r"[^\]a]"),
        (r'\\baux\\b', r"\baux\b"),
        (r'\.', r"\."),
        (r'.*[?]', ".*[?]"),
    ],
)  # fmt: skip
def test_expressions_of_str_become_those_of_re2(written: str, pattern: str) -> None:
    [clause] = parser.parse(f'pattern {{ X [form=re"{written}"] }}').clauses("pattern")
    assert isinstance(clause, syntax.Node)
    assert clause.alternatives[0][0].values == (Regex(pattern),)


def test_perl_expressions() -> None:
    [clause] = parser.parse(r"pattern { X [form=/a|b\/c/i, lemma=/x/] }").clauses("pattern")
    assert isinstance(clause, syntax.Node)
    assert [test.values for test in clause.alternatives[0]] == [(Regex("a|b/c", True),), (Regex("x"),)]


def test_comments_and_several_items() -> None:
    request = parser.parse("""
        % what is looked for
        pattern { X [upos=VERB]; /* a verb */ X -> Y; } match { Y -> Z } % and more
        without { X -[nsubj]-> S } with { }
    """)
    assert [item.kind for item in request.items] == ["pattern", "pattern", "without", "with"]
    assert len(request.clauses("pattern")) == 3
