"""Rows of scores and statistics in the order of a column, and the first of them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import treesql
from tests.conftest import FIXTURES, conllu
from treesql import catalog
from treesql.errors import UnknownName, UsageError
from treesql.scoring.sorting import keys_of, sort_rows

GOLD, A, B = (str(FIXTURES / name) for name in ("gold.conllu", "parser-a.conllu", "parser-b.conllu"))
FOLDERS = FIXTURES / "folders"

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")


def test_keys_ascend_and_numbers_descend_with_missing_values_last_and_equal_ones_as_they_were() -> None:
    rows = pa.table(
        {
            "at": [0, 1, 2, 3, 4], "text": ["b", None, "a", "b", "a"], "n": [2, 2, None, 10, 1],
            "bin": ["10..14", "5..9", None, "5..9", "15"], "score": [0.5, float("nan"), 0.25, None, 0.5],
        }
    )  # fmt: skip

    def order(sort: str | None, limit: int | None = None) -> list[int]:
        found: list[int] = sort_rows(rows, sort, {"at"}, limit)["at"].to_pylist()
        return found

    assert order(None) == [0, 1, 2, 3, 4]
    assert (order("text"), order("-text")) == ([2, 4, 0, 3, 1], [0, 3, 2, 4, 1])
    assert (order("n"), order("-n")) == ([3, 0, 1, 4, 2], [4, 0, 1, 3, 2])
    assert (order("bin"), order("-bin")) == ([1, 3, 0, 4, 2], [4, 0, 1, 3, 2])
    assert (order("at"), order("-at", limit=2)) == ([0, 1, 2, 3, 4], [4, 3])
    assert order("score") == [0, 4, 2, 1, 3]
    with pytest.raises(UnknownName, match="did you mean text"):
        order("txt")
    with pytest.raises(UsageError, match="lists"):
        sort_rows(pa.table({"x": [[1], [2]]}), "x", (), None)


def test_keys_of_a_statistic_are_the_columns_that_it_is_sorted_by() -> None:
    """Beside functions, without those in another order, and with those whose missing values come last."""
    assert keys_of(catalog.query("all_checks")) == {"treebank", "name", "sent_id", "word", "form"}
    assert keys_of(catalog.query("relation_confusions")) == {"gold_relation", "system_relation"}
    assert keys_of(catalog.query("tau_quantiles")) == frozenset()
    checks = treesql.stats(GOLD, table="all_checks", sort="word")["word"]
    assert checks == sorted(checks)


def rows(*columns: str, **how: Any) -> list[tuple[Any, ...]]:
    found = treesql.score("dependency", GOLD, A, B, **how).rows()
    return [tuple(row[column] for column in columns) for row in found]


def test_scores_by_groups_are_sorted_as_one_table_and_then_limited() -> None:
    """Python sorts the rows that are there without an order."""
    usual = rows("system", "deprel", "words", "las", by="deprel", metric=["words", "las"])
    for sort, limit in (("las", None), ("-las", 7), ("words", 4), ("-deprel", None), ("system", 3)):
        at = ("system", "deprel", "words", "las").index(sort.removeprefix("-"))
        falls = (at > 1) != sort.startswith("-")
        expected = sorted(usual, key=lambda row: row[at], reverse=falls)
        if falls:  # `reverse` keeps equal rows in their order
            assert expected == sorted(usual, key=lambda row: row[at], reverse=True)
        found = rows("system", "deprel", "words", "las", by="deprel", metric=["words", "las"], sort=sort, limit=limit)
        assert found == expected[:limit], sort


def test_a_count_that_is_not_shown_sorts_and_stays_hidden() -> None:
    by_words = rows("system", "deprel", by="deprel", metric=["words", "las"], sort="words")
    scores = treesql.score("dependency", GOLD, A, B, by="deprel", metric="las", sort="words", limit=5)
    assert scores.columns == ["system", "deprel", "las"]
    assert [(row["system"], row["deprel"]) for row in scores] == by_words[:5]
    assert {text.split("|")[0] for text in scores.signatures.values()} == {"las"}
    bounded = treesql.score("dependency", GOLD, A, by="upos", metric="las", sort="words", ci=True, limit=2)
    assert bounded.columns == ["system", "upos", "las", "las_low", "las_high"]
    lows = treesql.score("dependency", GOLD, A, by="upos", metric="las", sort="-las_low", ci=True)["las_low"]
    assert lows == sorted(lows) != lows[::-1]
    assert treesql.score("dependency", GOLD, A, by="sentence", metric="las", sort="-sent_id", limit=1)["sent_id"] == [
        "tea"
    ]
    with treesql.connect() as db:
        for name in (GOLD, A):
            db.load(name, corpus=name)
        assert db.score("dependency", GOLD, A, by="deprel", metric="las", sort="words", limit=1)["deprel"] == ["punct"]


def test_averages_stay_below_treebanks_and_are_sorted_likewise() -> None:
    gold, system = FOLDERS / "gold", {"a": FOLDERS / "parser-a", "b": FOLDERS / "parser-b"}
    scores = treesql.score("dependency", gold, systems=system, metric="las", sort="las")
    assert [(row["treebank"], row["system"]) for row in scores] == [
        ("talk", "b"), ("news", "a"), ("news", "b"), ("talk", "a"), ("macro", "b"), ("macro", "a"), ("micro", "b"),
        ("micro", "a"),
    ]  # fmt: skip
    first = treesql.score("dependency", gold, systems=system, metric="las", sort="las", limit=1)
    assert [(row["treebank"], row["system"]) for row in first] == [("talk", "b"), ("macro", "b"), ("micro", "b")]


def test_systems_side_by_side_are_sorted_above_the_row_of_all() -> None:
    how: dict[str, Any] = {"metric": "las", "wide": True, "systems": {"a": A, "b": B}}
    usual = treesql.score("dependency", GOLD, by="upos", **how).rows()
    for sort, limit in (("n", 3), ("difference:b", None), ("-las:a", 2), ("-upos", 100)):
        column = sort.removeprefix("-")
        falls = (column != "upos") != sort.startswith("-")
        expected = sorted(usual[:-1], key=lambda row: row[column], reverse=falls)[:limit]
        assert treesql.score("dependency", GOLD, by="upos", sort=sort, limit=limit, **how).rows() == [
            *expected, usual[-1]
        ]  # fmt: skip
    folders = treesql.score("dependency", FOLDERS / "gold", sort="las:b", **how | {
        "systems": {"a": FOLDERS / "parser-a", "b": FOLDERS / "parser-b"}
    })  # fmt: skip
    assert folders["treebank"] == ["talk", "news", "macro"]


def test_tables_are_sorted_for_every_system() -> None:
    tables = treesql.score("dependency", GOLD, A, B, table="relation_confusions", sort="-gold_relation", limit=2)
    assert tables["gold_relation"] == ["root", "punct"] * 2
    assert [name.rpartition("/")[2] for name in tables["system"]] == ["parser-a.conllu"] * 2 + ["parser-b.conllu"] * 2


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"by": "deprel", "sort": "wrds"}, "did you mean words"),
        ({"by": "deprel", "sort": "upos"}, "column to sort by"),
        ({"table": "relation_confusions", "matrix": True, "sort": "words"}, "sort= does not apply to a matrix"),
        ({"by": "deprel", "limit": 0}, "1 or more"),
    ],
)
def test_what_cannot_be_sorted(how: dict[str, Any], message: str) -> None:
    with pytest.raises((UnknownName, UsageError), match=message):
        treesql.score("dependency", GOLD, A, **how)


def test_statistics_are_sorted_by_their_columns() -> None:
    """What a statistic has in ascending order, and texts, are keys."""
    text = conllu("a:2:nsubj:NOUN b:0:root:VERB c:2:obj:NOUN d:2:advmod:ADV", "a:0:root:VERB", "a:0:root:VERB b:1:obj")

    def column(name: str, **how: Any) -> list[Any]:
        values: list[Any] = treesql.stats(text, **how)[name]
        return values

    lengths: dict[str, Any] = {"table": "dependency_lengths", "by": "n_words"}
    assert column("n_words", sort="length", **lengths) == [4, 2, 1]
    assert column("n_words", sort="-length", **lengths) == [1, 2, 4]
    assert column("n_words", sort="n_words", **lengths) == [1, 2, 4]
    assert column("n_words", sort="-n_words", limit=2, **lengths) == [4, 2]
    assert column("n_words", sort="ratio_high", **lengths)[-1] == 1, "of no arc there is none"
    assert column("relation", relations=True, sort="-relation", limit=2) == ["root", "obj"]
    assert column("frame", table="dependency_frames", sort="frame") == ["-", "nsubj obj", "obj"]
    assert column("frame", table="dependency_frames", sort="-words") == column("frame", table="dependency_frames")
    treebanks = treesql.stats(text, GOLD, sort="words", table=None)["words"]
    assert treebanks == sorted(treebanks, reverse=True)
    with treesql.connect() as db:
        db.load(text, corpus="t")
        assert db.stats(sort="n_words", limit=1, **lengths)["n_words"] == [1]
    for wrong, how in (("frames", {"table": "dependency_frames"}), ("ratio", {}), ("sent_ids", lengths)):
        with pytest.raises(UnknownName, match="column to sort by"):
            treesql.stats(text, sort=wrong, **how)  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="column to sort by"):
        treesql.stats("no.conllu", sort="x")


def test_frames_of_one_lemma() -> None:
    lines = ["a:2:nsubj:NOUN sees:0:root:VERB b:2:obj:NOUN", "sees:0:root:VERB", "b:2:nsubj:NOUN runs:0:root:VERB"]
    text = conllu(*lines)
    with treesql.connect() as db:
        db.load(text, corpus="t")
        db.sql("UPDATE words SET lemma = 'see' WHERE form = 'sees'")
        db.sql("UPDATE words SET lemma = 'run' WHERE form = 'runs'")
        frames = db.stats(table="dependency_frames", lemma="see").rows()
        assert [(row["frame"], row["words"], row["share"]) for row in frames] == [("-", 1, 0.5), ("nsubj obj", 1, 0.5)]
        with pytest.raises(UnknownName, match=r"unknown lemma of words tagged .V 'sea'; did you mean see"):
            db.stats(table="dependency_frames", lemma="sea")
        with pytest.raises(UsageError, match="lemma= does not apply to tree_shapes"):
            db.stats(table="tree_shapes", lemma="see")
