"""SQL functions of constituency trees: many rows, and arguments that they refuse."""

from __future__ import annotations

from random import Random
from typing import Any

import duckdb
import pytest

import treesql
from tests.functions.packed_trees import (
    BY,
    LEFT,
    ROOTINGS,
    TURNED,
    Case,
    Packed,
    called,
    case,
    keyed,
    literal,
    packed,
    plain,
)
from tests.functions.trees_by_hand import both, forest, known
from tests.house.rules import in_turn
from tests.kernels.ordered_trees import edit_distance
from tests.kernels.phrases import still_in_order
from treesql.errors import QueryError
from treesql.functions.constituency import LABELLED, TREE
from treesql.kernels.trees.skeletons import NAME

N_ROWS = 5000


@pytest.fixture(scope="module")
def pool() -> list[Case | None]:
    """Trees over five words, one in seven none at all."""
    chance = Random(3)
    found: list[Case | None] = []
    for number in range(35):
        forms = chance.sample(range(1, 6), 5)
        parents = [0]
        for node in range(1, chance.randint(1, 4)):
            path = [node]  # what a phrase can stand below in preorder
            while path[-1]:
                path.append(parents[path[-1] - 1])
            parents.append(chance.choice(path))
        phrases = [chance.randint(0, len(parents)) for _ in forms]
        tree = case(parents, phrases, forms)
        in_order = still_in_order(tree.tree, list(range(5)))
        found.append(None if number % 7 == 3 else tree if in_order else case([0], [1] * 5, forms))
    return found


@pytest.mark.compiled
@pytest.mark.parametrize("function", ["split_counts", "quartet_counts", "skeleton_edit_distance"])
def test_many_rows(treebank: duckdb.DuckDBPyConnection, pool: list[Case | None], function: str) -> None:
    """Several vectors, with rows left out by a filter and with missing trees."""
    n = len(pool)
    trees = [None if tree is None else packed(tree) for tree in pool]
    expected = {
        (i, j): None if gold is None or test is None else known(function, both(gold, test, NAME))
        for i, gold in enumerate(pool)
        for j, test in enumerate(pool[:7])
    }
    how = "'name', 'unrooted'" if function == "split_counts" else "'name'"
    found = treebank.execute(
        f"""
        SELECT i, {function}(pool[1 + i % {n}], pool[1 + i % 7], {how})
        FROM range({N_ROWS}) AS r(i), (SELECT CAST(? AS {TREE}[]) AS pool)
        WHERE i % 11 <> 5
        ORDER BY i
        """,
        [trees],
    ).fetchall()
    assert len(found) > 2 * 2048
    for i, value in found:
        assert plain(value) == expected[i % n, i % 7]


@pytest.mark.compiled
def test_many_keys_and_labelled_trees(treebank: duckdb.DuckDBPyConnection, pool: list[Case | None]) -> None:
    n = len(pool)
    trees = [None if tree is None else packed(tree) for tree in pool]
    alone = keyed(treebank, trees, "rooted")
    found = treebank.execute(
        f"""
        SELECT i, split_keys(pool[1 + i % {n}], 'rooted')
        FROM range({N_ROWS}) AS r(i), (SELECT CAST(? AS {TREE}[]) AS pool)
        WHERE i % 11 <> 5
        ORDER BY i
        """,
        [trees],
    ).fetchall()
    assert len(found) > 2 * 2048
    assert all((None if value is None else (value["leaf_key"], value["keys"])) == alone[i % n] for i, value in found)
    labelled = [None if tree is None else packed(tree, labelled=True) for tree in pool]
    found = treebank.execute(
        f"""
        SELECT i, constituent_tree_edit_distance(pool[1 + i % {n}], pool[1])
        FROM range({N_ROWS}) AS r(i), (SELECT CAST(? AS {LABELLED}[]) AS pool)
        ORDER BY i
        """,
        [labelled],
    ).fetchall()
    assert len(found) == N_ROWS
    first = pool[0]
    assert first is not None
    edits = [None if tree is None else edit_distance(forest(tree), forest(first), 1) for tree in pool]
    assert all(value == edits[i % n] for i, value in found)


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
    from treesql.kernels.trees import quartets

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
