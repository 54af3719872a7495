"""Rows of small engines as they were read: what they answer, and what is left to a statement."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pyarrow as pa

from treesql.scoring import items

WORDS = ("sentence", "word", "form")
PAIR = {"gold_corpus": "gold", "system_corpus": "system"}
ASKED = pa.table({"asked": ["a statement"]})


def engine(**rows_read: list[tuple[str | None, pa.Table]]) -> Any:
    """What has rows, and says that words differ where it runs a statement."""
    return SimpleNamespace(rows_read=rows_read, rows=lambda *_: [(0,)], table=lambda *_: ASKED)


def words(forms: str, corpora: str | None = None) -> pa.Table:
    """A sentence of words, a character each; corpora: those that the rows name, likewise."""
    places = range(1, len(forms) + 1)
    rows = {"sentence": pa.array([0] * len(forms), pa.int32()), "word": pa.array(places, pa.int32())}
    named = {} if corpora is None else {"corpus": [{"g": "gold", "s": "system"}[name] for name in corpora]}
    return pa.table({**named, **rows, "form": list(forms)})


def test_rows_of_a_corpus() -> None:
    """In a part of its own, or next to each other in one of several corpora; not in several parts."""
    of_one = words("ab")
    expected = of_one.to_pylist()
    for parts in (
        [("gold", of_one), ("system", words("c"))],
        [(None, words("xab", "sgg"))],
        [(None, words("abx", "ggs"))],
    ):
        found = items.rows_read(engine(words=parts), "words", "gold", ("form",))
        assert found is not None
        assert found.to_pylist() == [{"form": row["form"]} for row in expected]
    for parts in (
        [],
        [(None, words("axb", "gsg"))],
        [("gold", of_one), ("gold", of_one)],
        [("gold", of_one), (None, words("a", "g"))],
        [("system", of_one)],
    ):
        assert items.rows_read(engine(words=parts), "words", "gold", WORDS) is None


def test_columns_that_were_not_read_are_null() -> None:
    found = items.rows_read(
        engine(sentences=[("g", pa.table({"sentence": [0]}))]), "sentences", "g", ("sentence", "sent_id")
    )
    assert found is not None
    assert found.to_pylist() == [{"sentence": 0, "sent_id": None}]


def test_words_that_differ_are_left_to_a_statement() -> None:
    for gold, system, is_same in (("ab", "ab", True), ("ab", "ax", False), ("ab", "abc", False)):
        rows = engine(words=[("gold", words(gold)), ("system", words(system))])
        assert items.have_same_words(rows, PAIR) is is_same
    assert not items.have_same_words(engine(), PAIR)


def test_ids_in_order_are_as_they_were_read() -> None:
    for numbers, is_read in (([0, 1], True), ([1, 0], False), ([0, 0], False)):
        rows = pa.table({"sentence": numbers, "sent_id": ["a", None]})
        found = items.ids_of_sentences(engine(sentences=[("gold", rows)]), "gold")
        assert (found.to_pylist() == rows.to_pylist()) is is_read
        assert (found is ASKED) is not is_read


def test_a_column_may_have_nulls_unless_all_rows_have_a_value() -> None:
    whole, without = pa.table({"head": [0, 1]}), pa.table({"head": [0, None]})
    for parts, may_have in (
        ([], True),
        ([("gold", whole)], False),
        ([("gold", whole), ("system", without)], True),
        ([("gold", whole), ("system", words("a"))], True),
    ):
        assert items.may_have_nulls(engine(words=parts), "words", "head") is may_have
