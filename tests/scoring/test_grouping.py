"""Scores by sentence and by any column, and bins of numbers: bounds, names, and what has none."""

from __future__ import annotations

import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treesql
from tests.house.rules import in_turn
from tests.scoring.attachment import PAIR
from treesql.errors import UsageError
from treesql.results.cells import UNDEFINED, find_start, order_values
from treesql.scoring.items import Bins, make_bins, split_width


def test_by_sentence_every_sentence_has_a_row(examples: treesql.Database) -> None:
    rows = examples.score(
        "attachment", "exact_match", by="sentence", where="upos <> 'INTJ' AND form <> '!'", **PAIR
    ).rows()
    assert [row["sent_id"] for row in rows] == ["mat", "know", "hearing", "tea", "hello"]
    assert [row["uas"] for row in rows] == [6 / 7, 1, 8 / 9, 4 / 7, None]
    assert [row["words"] for row in rows] == [7, 5, 9, 7, 0]
    assert list(rows[0])[:3] == ["sentence", "sent_id", "words"]


@in_turn(
    ("by", "group", "words", "uas", "exact_match"),
    [
        ("upos", "CCONJ", 1, 0.0, None),  # a column of the items: exact match has no word
        ("system_deprel", "cc", 1, 0.0, None),
        ("deprel", "nsubj:pass", 1, 1.0, None),  # of the gold word
        ("depth", 1, 5, 1.0, None),
        ("n_words", 9, 9, 8 / 9, 0.0),  # of the gold sentence: exact match has it too
        ("sent_id", "hello", 2, 1.0, 1.0),
        ("treebank", None, 30, 25 / 30, 1 / 5),  # of the corpus
    ],
)
def test_by_any_column(
    examples: treesql.Database, by: str, group: object, words: int, uas: float, exact_match: float | None
) -> None:
    rows = examples.score("attachment", "exact_match", by=by, **PAIR).rows()
    assert list(rows[0])[:2] == [by, "words"]
    assert sum(row["words"] for row in rows) == 30
    [row] = [row for row in rows if row[by] == group]
    assert (row["words"], row["uas"], row.get("exact_match")) == (words, pytest.approx(uas), exact_match)


def test_what_is_summed_is_no_group(examples: treesql.Database) -> None:
    with pytest.raises(UsageError, match="words is a count; group by another column"):
        examples.score("attachment", by="words", **PAIR)
    with pytest.raises(UsageError, match="at least one metric"):
        examples.score(**PAIR)


def test_a_row_for_every_combination(examples: treesql.Database) -> None:
    by = ["upos", "Number", "n_words/5"]
    counted = examples.sql(
        "SELECT w.upos, feature(w.feats, 'Number') AS number, l.n_words // 5 AS bin, count(*) AS words, "
        "avg(a.correct_head) AS uas FROM attachment('gold', 'parser-a') AS a "
        "JOIN words AS w ON w.corpus = 'gold' AND w.sentence = a.sentence AND w.word = a.word "
        "JOIN sentences AS l ON l.corpus = 'gold' AND l.sentence = a.sentence "
        "GROUP BY ALL ORDER BY ALL NULLS LAST"
    ).rows()
    rows = examples.score("attachment", "relation_class_scores", by=by, **PAIR).rows()
    assert list(rows[0])[:4] == [*by, "words"]
    assert [(row["upos"], row["Number"], row["n_words/5"], row["words"], row["uas"]) for row in rows] == [
        (row["upos"], row["number"], f"{5 * row['bin']}..{5 * row['bin'] + 4}", row["words"], pytest.approx(row["uas"]))
        for row in counted
    ]
    assert all(row["content_recall"] is not None for row in rows if row["upos"] == "NOUN")


def test_however_several_columns_are_written(examples: treesql.Database) -> None:
    expected = examples.score("attachment", by=["upos", "deprel"], **PAIR)
    for by in ("upos,deprel", " upos , deprel ", ("upos", "deprel"), ["upos,deprel"]):
        found = examples.score("attachment", by=by, **PAIR)
        assert found.arrow().equals(expected.arrow())
        assert found.signatures == expected.signatures
    assert "|by:upos,deprel|" in expected.signature
    turned = examples.score("attachment", by="deprel,upos", **PAIR)
    assert turned.columns[:2] == ["deprel", "upos"]
    assert turned.signature != expected.signature
    plain = examples.score("attachment", **PAIR)
    for nothing in (None, (), []):
        assert examples.score("attachment", by=nothing, **PAIR).arrow().equals(plain.arrow())


@in_turn(
    ("by", "message"),
    [
        (["upos", "upos"], "cannot group by upos twice"),
        (["upos", "UPOS"], "cannot group by upos twice; name each column once, whatever its case"),
        (["deprel", "words"], "words is a count; group by another column"),
        (["deprel", "words/5"], "words is a count; group by another column"),
        (",", "by is ','; name a column, or several with commas between"),
        ([""], "a name is empty; write a name"),
        (5, r"by takes text, a sequence of texts or None, not 5 \(int\)"),
    ],
)
def test_columns_that_cannot_be_groups(examples: treesql.Database, by: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        examples.score("attachment", by=by, **PAIR)


def test_sentences_within_combinations(examples: treesql.Database) -> None:
    """Combinations that occur are rows; a sentence alone is one whether or not it has items."""
    rows = examples.score("attachment", "exact_match", by=["upos", "sentence"], **PAIR).rows()
    assert list(rows[0])[:4] == ["upos", "sentence", "sent_id", "words"]
    assert sum(row["words"] for row in rows) == 30
    assert {row["sent_id"] for row in rows if row["upos"] == "INTJ"} == {"hello"}
    both = examples.score("attachment", by=["sentence", "sent_id"], **PAIR)
    assert both.columns[:3] == ["sentence", "sent_id", "words"]
    blocks = examples.score("attachment", by="sentence/2", where="upos <> 'INTJ' AND form <> '!'", **PAIR).rows()
    assert [(row["sentence/2"], row["words"]) for row in blocks] == [("0..1", 12), ("2..3", 16)]


@pytest.mark.filterwarnings("ignore:.*repeated feature:treesql.TreesqlWarning")
def test_a_word_with_a_feature_twice_counts_once(db: treesql.Database, tmp_path: Path) -> None:
    line = "1\ta\t_\t_\t_\tNumber=Plur|Number=Sing\t0\troot\t_\t_\n\n"
    (tmp_path / "a.conllu").write_text(line)
    db.load(tmp_path / "a.conllu", corpus="gold")
    [row] = db.score("attachment", gold_corpus="gold", system_corpus="gold", by="Number").rows()
    assert (row["Number"], row["words"]) == ("Plur", 1)


def names_of(kind: str, width: str, values: list[object]) -> list[str | None]:
    """The names of the bins of values."""
    bins = make_bins(f"x/{width}", "x", kind, width)
    sql = f"SELECT {bins.label(bins.number('v.x'))} FROM (SELECT unnest(CAST($values AS {kind}[])) AS x) AS v"
    return [name for (name,) in duckdb.execute(sql, {"values": values}).fetchall()]


@in_turn(
    ("kind", "width", "values", "names"),
    [
        ("INTEGER", "10", [0, 9, 10, 19, 20, None], ["0..9", "0..9", "10..19", "10..19", "20..29", None]),
        ("BIGINT", "5", [-6, -5, -1, 0], ["-10..-6", "-5..-1", "-5..-1", "0..4"]),
        ("INTEGER", "1", [-1, 0, 7], ["-1", "0", "7"]),
        ("BIGINT", "3", [10**15], ["999999999999999..1000000000000001"]),
        ("DOUBLE", "10", [-0.5, 0, 9.99, 10], ["-10..0", "0..10", "0..10", "10..20"]),
        ("DOUBLE", "0.1", [0.3, 0.7, 0.29, -0.1], ["0.3..0.4", "0.7..0.8", "0.2..0.3", "-0.1..0.0"]),
        ("DOUBLE", "0.25", [0.5, 1.1], ["0.50..0.75", "1.00..1.25"]),
        ("DOUBLE", "2", [math.nan, math.inf, -math.inf, 1e300, None], [None] * 5),
        ("INTEGER", "10", [], []),
        (
            "BIGINT",
            "log",
            [-1, 0, 1, 4, 5, 9, 10, 99, 100, 999, 1000, 10**9, None],
            ["-1", "0", "1", "4", "5..9", "5..9", "10..99", "10..99", "100..999", "100..999"]
            + ["1000 and more"] * 2
            + [None],
        ),
    ],
)
def test_bins_begin_at_multiples_of_the_width(
    kind: str, width: str, values: list[object], names: list[str | None]
) -> None:
    assert names_of(kind, width, values) == names


@given(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1), st.integers(1, 10**9 - 1))
def test_a_whole_number_is_within_its_bin(values: list[int], width: int) -> None:
    for value, name in zip(values, names_of("INTEGER", str(width), list(values)), strict=True):
        low = value // width * width
        assert name == (str(low) if width == 1 else f"{low}..{low + width - 1}")


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**4))
def test_a_decimal_fraction_that_is_a_bound_begins_a_bin(thousandths: int, width: int) -> None:
    value, step = Decimal(thousandths).scaleb(-3), Decimal(width).scaleb(-3)
    low = (value / step).to_integral_value("ROUND_FLOOR") * step
    assert names_of("DOUBLE", f"{step:.3f}", [float(value)]) == [f"{low:.3f}..{low + step:.3f}"]


def test_the_width_stands_behind_the_last_slash() -> None:
    assert split_width("upos") == ("upos", None)
    assert split_width("n_words/010") == ("n_words", "10")
    assert split_width("a/b/0.5") == ("a/b", "0.5")
    assert Bins("10", fractional=False).number("NULL") == "CAST(floor(CAST(NULL AS DOUBLE) / 10) AS BIGINT)"


def test_bins_are_sorted_by_what_their_names_begin_with() -> None:
    assert [find_start(name) for name in ("0", "5..9", "-10..-6", "0.5..0.6", "1000 and more", "many and more")] == [
        0, 5, -10, 0.5, 1000, None,
    ]  # fmt: skip


def test_bins_of_cells_are_in_order_and_what_has_no_value_is_last() -> None:
    """Numbers alone are names, such as years, and stand by their counts, as texts do."""

    def ordered(*keys: str | None) -> list[str]:
        return order_values(pa.chunked_array([keys], pa.string()), np.arange(len(keys)))[1]

    assert ordered(None, "10..19", "-10..-1", "0..9") == ["-10..-1", "0..9", "10..19", UNDEFINED]
    assert ordered("2..3", "33 and more", "4..8") == ["2..3", "4..8", "33 and more"]
    assert ordered("1", "2", None) == [UNDEFINED, "2", "1"]
    assert ordered("0..9", "a") == ["a", "0..9"]


@in_turn("name", ["n/", "/5", "n/0", "n/0.0", "n/-5", "n/x", "n/1e3", "n/5 ", "n/1234567890", "n/٣"])
def test_widths_that_are_none(name: str) -> None:
    with pytest.raises(UsageError, match=r"bins are written COLUMN/WIDTH, and WIDTH is a number above 0, of 9 digits"):
        split_width(name)


def test_columns_without_bins() -> None:
    with pytest.raises(UsageError, match=r"form/5: bins are of numbers, and form is VARCHAR; group by form"):
        make_bins("form/5", "form", "VARCHAR", "5")
    with pytest.raises(UsageError, match=r"x/log: bins that grow are of whole numbers; write a width: x/0\.1"):
        make_bins("x/log", "x", "DOUBLE", "log")
    with pytest.raises(UsageError, match=r"n/2\.5: n has whole numbers, and so has the width of its bins"):
        make_bins("n/2.5", "n", "BIGINT", "2.5")


def test_bins_that_double() -> None:
    with treesql.connect() as db:
        bins = make_bins("n/double", "n", "BIGINT", "double")
        numbers = [-1, 0, 2, 3, 4, 5, 8, 9, 17, 32, 33, 10**9]
        sql = f"SELECT {bins.label(bins.number('n'))} AS name FROM (SELECT unnest({[*numbers]}) AS n) AS v"
        names = [row["name"] for row in db.sql(sql).rows()]
    assert names == ["-1", "0", "2", "3..4", "3..4", "5..8", "5..8", "9..16", "17..32", "17..32"] + ["33 and more"] * 2
    assert [find_start(name) for name in names[3:]] == [3, 3, 5, 5, 9, 17, 17, 33, 33]
    assert split_width("n_words/double") == ("n_words", "double")
    with pytest.raises(UsageError, match=r"x/double: bins that grow are of whole numbers; write a width: x/0\.1"):
        make_bins("x/double", "x", "DOUBLE", "double")
