"""Arguments of SQL functions of constituency trees that they refuse, and those of several calls."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest

import treesql
from tests.functions.packed_trees import BY, LEFT, ROOTINGS, TURNED, Packed, called, keyed, literal, packed
from tests.house.rules import in_turn
from treesql.errors import QueryError

WORDS = "of a tree must be lists of one length"


@in_turn(
    ("changed", "message"),
    [
        ({"phrases": [2, 2, 2]}, WORDS),
        ({"phrases": None}, WORDS),
        ({"forms": [1, 2, 3, 4, 5]}, WORDS),
        ({"kinds": [0]}, WORDS),
        ({"parents": [0, None]}, "cannot hold NULL"),
        ({"parents": [0, 2]}, " must be in preorder; phrase 2 is below 2"),
        ({"parents": [2, 0]}, " must be in preorder; phrase 1 is below 2"),
        ({"parents": [0, 3]}, " must be in preorder; phrase 2 is below 3"),
        ({"parents": [0, -1]}, " must be in preorder; phrase 2 is below -1"),
        ({"phrases": [2, 2, 3, 1]}, "a word is below no phrase of its tree: 3"),
        ({"phrases": [2, 2, -1, 1]}, "a word is below no phrase of its tree: -1"),
    ],
)
def test_lists_that_are_no_tree(
    treebank: duckdb.DuckDBPyConnection, changed: dict[str, list[int] | None], message: str
) -> None:
    """In the first row or behind others, on either side."""
    good = packed(LEFT)
    bad: Any = {**good, **changed}
    batches: list[list[tuple[Packed | None, Packed | None]]] = [
        [(bad, good)],
        [(good, bad)],
        [(good, good), (good, good), (bad, bad)],
    ]
    for pairs in batches:
        for function, how in (("split_counts", ("order", "rooted")), ("quartet_counts", ("name",))):
            with pytest.raises(duckdb.InvalidInputException) as raised:
                called(treebank, function, pairs, *how)
            assert message in str(raised.value)
    with pytest.raises(duckdb.InvalidInputException) as raised:
        keyed(treebank, [good, bad], "rooted")
    assert message in str(raised.value)
    tree = packed(LEFT, labelled=True)
    bad = {**tree, **changed}
    with pytest.raises(duckdb.InvalidInputException) as raised:
        called(treebank, "constituent_tree_edit_distance", [(tree, tree), (tree, bad)])
    assert message in str(raised.value)


def test_labels_and_tags_of_other_lengths(treebank: duckdb.DuckDBPyConnection) -> None:
    good = packed(LEFT, labelled=True)
    for name, message in (("labels", f"parents, labels {WORDS}"), ("tags", f"phrases, tags, forms, kinds {WORDS}")):
        with pytest.raises(duckdb.InvalidInputException) as raised:
            called(treebank, "constituent_tree_edit_distance", [(good, {**good, name: [1]})])
        assert message in str(raised.value)


@in_turn(
    ("call", "message"),
    [
        ("split_counts(t, t, 'names', 'rooted')", r"one of order, name, common; found \['names'\]"),
        ("split_counts(t, t, 'order', 'Rooted')", r"one of rooted, unrooted; found \['Rooted'\]"),
        ("split_counts(t, t, NULL, 'rooted')", r"one of order, name, common; found \[None\]"),
        ("quartet_counts(t, t, '')", r"one of order, name, common; found \[''\]"),
        ("skeleton_edit_distance(t, t, 'all')", r"one of order, name, common; found \['all'\]"),
        ("split_keys(t, 'root')", r"one of rooted, unrooted; found \['root'\]"),
        ("split_counts(t, t, unnest(['order', 'name']), 'rooted')", r"same in all rows, .*\['order', 'name'\]"),
        ("split_keys(t, unnest(['rooted', 'unrooted']))", r"same in all rows, .*\['rooted', 'unrooted'\]"),
    ],
)
def test_words_that_are_no_choice(treebank: duckdb.DuckDBPyConnection, call: str, message: str) -> None:
    with pytest.raises(duckdb.InvalidInputException, match=message):
        treebank.execute(f"SELECT {call} FROM (SELECT {literal(packed(LEFT))} AS t)").fetchall()


def test_several_ways_in_one_query(treebank: duckdb.DuckDBPyConnection) -> None:
    one, other = literal(packed(LEFT)), literal(packed(TURNED))
    ways = [(by, rooting) for by in BY.values() for rooting in ROOTINGS]
    calls = ", ".join(f"(split_counts(a, b, '{by}', '{rooting}')).common" for by, rooting in ways)
    found = treebank.execute(f"SELECT {calls} FROM (SELECT {one} AS a, {other} AS b)").fetchall()
    assert found == [(None, None, 1, 0, 1, 0)]


def test_quartets_of_too_many_leaves(db: treesql.Database, monkeypatch: pytest.MonkeyPatch) -> None:
    from treesql.kernels import quartets

    monkeypatch.setattr(quartets, "MAX_LEAVES", 5)
    words = "'phrases': [1 FOR i IN range(6)], 'forms': range(6)::UBIGINT[], 'kinds': [0::UTINYINT FOR i IN range(6)]"
    tree = f"{{'parents': [0], {words}}}"
    assert db.sql(f"SELECT quartet_counts({tree}, {tree}, 'order') AS counts").rows() == [{"counts": None}]


def test_the_row_of_a_fault_in_slow_functions(db: treesql.Database) -> None:
    """Of all that were given at once, not of the few that are compared at a time."""
    tree = "{'parents': CAST([i // 200] AS INTEGER[]), 'phrases': [1], 'forms': [1::UBIGINT], 'kinds': [0::UTINYINT]}"
    what = "quartet_counts, row 201 of 300: the phrases of a tree must be in preorder; phrase 1 is below 1"
    with pytest.raises(QueryError, match=what):
        db.sql(f"SELECT quartet_counts(t, t, 'order') FROM (SELECT {tree} AS t FROM range(300) AS r(i))")
