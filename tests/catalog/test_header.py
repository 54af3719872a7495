"""The headers of .sql files."""

from __future__ import annotations

import math
import re

import pytest

from tests.house.rules import in_turn
from treesql.catalog import header
from treesql.errors import HeaderError

GOOD = """\
-- sums: what it is;
--   and on the next line.
-- kind: metric
-- engine: duckdb: uses lists
-- parameter gold_corpus TEXT: the gold corpus
-- parameter how TEXT(all|some) = all: which ones
-- parameter limit DOUBLE = 0.5: how many: at most
-- audit check
-- count words BIGINT: words
-- column right BIGINT: right ones
-- score accuracy percent higher = sum(right) / nullif(sum(words), 0): share: of words
-- source: Nobody 2000
SELECT 1 AS words, 1 AS right
"""


def test_every_field_is_read() -> None:
    read = header.parse(GOOD, "sums.sql")
    assert (read.name, read.doc) == ("sums", "what it is; and on the next line.")
    assert (read.kind, read.engine, read.audits, read.source) == (
        "metric",
        "duckdb: uses lists",
        ("check",),
        "Nobody 2000",
    )
    corpus, how, limit = read.parameters
    assert (corpus.default, corpus.choices) == (None, ())
    assert (how.choices, how.literal) == (("all", "some"), "'all'")
    assert (limit.literal, limit.doc) == ("CAST('0.5' AS DOUBLE)", "how many: at most")
    assert [(c.name, c.shown) for c in read.columns] == [("words", True), ("right", False)]
    assert read.scores[0].counts == ("right", "words")
    assert (read.scores[0].unit, read.scores[0].doc) == ("percent", "share: of words")
    assert read.scores[0].direction == "higher"
    assert read.body == "SELECT 1 AS words, 1 AS right"


def test_values_of_numbers() -> None:
    """One number, from one to another, or from one on; without a range any number that is finite, or whole."""
    declared = "-- parameter {}(0|0.5..8|100..) = 1: how many\n-- score"
    for kind, refused in (("DOUBLE", ()), ("INTEGER", (0.5, 8.5, 100.5, 1e300))):
        read = header.parse(GOOD.replace("-- score", declared.format(f"n {kind}"), 1), "sums.sql").parameters[-1]
        assert (read.name, read.choices, read.ranges) == ("n", (), ((0, 0), (0.5, 8), (100, math.inf)))
        assert read.described_values == "0, or a number from 0.5 to 8, or a number, 100 or more"
        for value in (0, 0.5, 8, 100, 100.5, 1e300):
            assert read.accepts(value) == (value not in refused), value
        assert not any(map(read.accepts, (-1, 0.4, 8.5, 99, math.inf, math.nan)))
    cost = header.Parameter("n", "DOUBLE", (), None, "a cost", ((0, 1000),), 6)
    assert all(map(cost.accepts, (0, 0.1, 0.000001, 999.999999, 1e-6, 3)))
    assert not any(map(cost.accepts, (0.0000001, 1.1234567, 1001, -0.5, math.nan)))
    assert cost.described_values == "a number from 0 to 1000 with 6 decimals at most"
    for kind, accepted in (("DOUBLE", [-1, 0.5]), ("BIGINT", [-1])):
        free = header.Parameter("n", kind, (), None, "how many")
        assert [one for one in (-1, 0.5, math.inf, math.nan) if free.accepts(one)] == accepted


def test_terms_stand_in_brackets_where_they_are_named() -> None:
    terms = "-- term half = sum(right) / 2\n-- term less = {half} - 1\n-- score"
    read = header.parse(
        GOOD.replace("-- score", terms).replace("= sum(right) / null", "= {less} * {half} / null"), "sums.sql"
    )
    [score] = read.scores
    assert score.written == "{less} * {half} / nullif(sum(words), 0)"
    assert score.expression == "((sum(right) / 2) - 1) * (sum(right) / 2) / nullif(sum(words), 0)"
    assert read.terms == (("half", "sum(right) / 2"), ("less", "{half} - 1"))


def test_curves() -> None:
    read = header.parse(GOOD.replace("-- source", "-- curve right over words\n-- source"), "sums.sql")
    assert read.curve == header.CurveColumns(("right",), "words")
    for curve, message in (("right, wrong over words", "names wrong, and there is no such"), ("right", "cannot read")):
        with pytest.raises(HeaderError, match=message):
            header.parse(GOOD.replace("-- source", f"-- curve {curve}\n-- source"), "sums.sql")


@in_turn(
    ("line", "instead", "message"),
    [
        ("-- kind: metric", "-- kind: song", "kind must be one of"),
        ("-- kind: metric\n", "", "kind must be one of"),
        ("-- source: Nobody 2000\n", "", "no `source`"),
        ("-- source: Nobody 2000", "-- sauce: Nobody 2000", "`sauce` is not a field"),
        ("-- source: Nobody 2000", "-- source: A\n-- source: B", "is given twice"),
        ("-- audit check", "--", "is not a field of a header"),
        ("-- audit check", "-- parameters: as other", "`parameters` is not a field"),
        ("parameter how", "parameter limit", "`parameter limit` is given twice"),
        ("right BIGINT", "right NUMBER", "`NUMBER` is not a type"),
        ("limit DOUBLE", "limit DOUBLE(low..1)", "cannot read"),
        ("right BIGINT:", "right BIGINT", "cannot read"),
        ("percent higher =", "parsec higher =", "cannot read"),
        (
            "percent higher =",
            "percent =",
            "expected higher, lower or neither (which scores are better) after `percent`, found nothing",
        ),
        (
            "percent higher =",
            "number best =",
            "expected higher, lower or neither (which scores are better) after `number`, found `best`",
        ),
        ("percent higher =", "text higher =", "expected nothing after `text`, found `higher`"),
        ("= sum(right)", "= {half}", "no `term half` is defined above"),
        ("-- score", "-- term half = {half}\n-- score", "no `term half` is defined above"),
        ("-- score", "-- term half sum(right)\n-- score", "cannot read"),
        ("-- score", "-- term half = 1\n-- term half = 2\n-- score", "`term half` is given twice"),
        ("-- sums:", "-- Sums!:", "is not a field of a header"),
    ],
)
def test_what_breaks_the_rules_is_named(line: str, instead: str, message: str) -> None:
    assert line in GOOD
    with pytest.raises(HeaderError, match=re.escape(message)) as caught:
        header.parse(GOOD.replace(line, instead), "sums.sql")
    assert str(caught.value).startswith("sums.sql: ")


def test_a_file_without_a_header_is_refused() -> None:
    with pytest.raises(HeaderError, match="no header"):
        header.parse("SELECT 1", "bare.sql")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("", ("", None)),
        ("-- crosses_sentences: why\n", ("why", None)),
        ("-- crosses_sentences unless how: why\n", ("why", ("how", None))),
        ("-- crosses_sentences unless how = all: why\n", ("why", ("how", "all"))),
    ],
)
def test_what_crosses_sentences(line: str, found: tuple[str, tuple[str, str | None] | None]) -> None:
    read = header.parse(GOOD.replace("-- audit", f"{line}-- audit"), "sums.sql")
    assert (read.crosses_sentences, read.unless) == found


def test_only_a_parameter_of_the_query_rules_it_out() -> None:
    with pytest.raises(HeaderError, match="`crosses_sentences unless hwo` names no parameter of the query"):
        header.parse(GOOD.replace("-- audit", "-- crosses_sentences unless hwo: why\n-- audit"), "sums.sql")


def test_what_scores_compare() -> None:
    """Columns of words that counts depend on, which have to be columns above."""
    read = header.parse(GOOD.replace("-- score", "-- compares upos: right, words\n-- score"), "sums.sql")
    assert read.compares == (("upos", ("right", "words")),)
    with pytest.raises(HeaderError, match="`compares upos` names wrong, which is no column above"):
        header.parse(GOOD.replace("-- score", "-- compares upos: wrong\n-- score"), "sums.sql")
