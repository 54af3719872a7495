"""SQL functions of constituency trees over the trees of corpora."""

from __future__ import annotations

from math import comb
from typing import Any

import duckdb

from tests.functions.packed_trees import called, case, packed, plain
from tests.functions.trees_by_hand import both, skeleton_edits
from tests.kernels.phrases import Parse
from treesql.kernels.skeletons import ORDER


def compared(
    connection: duckdb.DuckDBPyConnection, call: str, gold: str, test: str, condition: str = "g.sentence = t.sentence"
) -> list[Any]:
    """A function of the packed trees of two corpora."""
    sql = f"SELECT {call} FROM packed_trees('{gold}') AS g JOIN packed_trees('{test}') AS t ON {condition}"
    found = connection.execute(f"{sql} ORDER BY g.sentence, t.sentence").fetchall()
    return [plain(value) for (value,) in found]


def test_parses(treebank: duckdb.DuckDBPyConnection) -> None:
    """The worked examples: a phrase attached high or low, traces, a verb in a noun phrase, another label, quotes."""
    expected = [(9, 4, 5, 4, 0, 0), (6, 3, 3, 3, 0, 0), (6, 2, 2, 1, 0, 0), (7, 2, 2, 2, 0, 0), (8, 1, 1, 1, 0, 0)]
    for how in ("'order', 'rooted'", "'order', 'unrooted'", "'name', 'rooted'", "'common', 'unrooted'"):
        assert compared(treebank, f"split_counts(g.tree, t.tree, {how})", "gold", "test") == expected
    assert compared(treebank, "skeleton_edit_distance(g.tree, t.tree, 'order')", "gold", "test") == [1, 0, 2, 0, 0]
    [(sizes,)] = treebank.execute("""
        SELECT list(len(split_keys(tree, 'rooted').keys) ORDER BY sentence) FROM packed_trees('gold')
    """).fetchall()
    assert sizes == [4, 3, 2, 2, 1]
    [(edits,)] = treebank.execute("""
        SELECT list(constituent_tree_edit_distance(g.tree, t.tree) ORDER BY g.sentence)
        FROM labelled_trees('gold') AS g JOIN labelled_trees('test') AS t ON t.sentence = g.sentence
    """).fetchall()
    assert edits == [1, 0, 4, 1, 0]


def test_parses_without_punctuation(treebank: duckdb.DuckDBPyConnection) -> None:
    found = treebank.execute("""
        SELECT split_counts(g.tree, t.tree, 'order', 'rooted'), quartet_counts(g.tree, t.tree, 'order')
        FROM packed_trees('gold', punctuation := 'drop') AS g
        JOIN packed_trees('test', punctuation := 'drop') AS t ON t.sentence = g.sentence
        ORDER BY g.sentence
    """).fetchall()
    assert [splits["n_leaves"] for splits, _ in found] == [8, 5, 5, 6, 4]
    assert [tuple(splits.values())[1:4] for splits, _ in found] == [
        (4, 5, 4),
        (3, 3, 3),
        (2, 2, 1),
        (2, 2, 2),
        (1, 1, 1),
    ]
    assert all(quartets["quartets"] == comb(splits["n_leaves"], 4) for splits, quartets in found)


def test_newick_trees(treebank: duckdb.DuckDBPyConnection) -> None:
    """Each with each: the first two share four leaves, which one of them does not group, the third has other birds."""
    everything = "g.sentence <> -1 AND t.sentence <> -1"
    for by, rooting, expected in (
        ("common", "rooted", {(0, 0): (6, 4, 4, 4, 0, 0), (0, 1): (4, 2, 0, 0, 0, 0), (2, 2): (6, 4, 4, 4, 0, 0)}),
        ("common", "unrooted", {(0, 0): (6, 3, 3, 3, 0, 0), (0, 1): (4, 1, 0, 0, 0, 0), (2, 2): (6, 3, 3, 3, 0, 0)}),
        ("name", "rooted", {(0, 0): (6, 4, 4, 4, 0, 0), (0, 1): None, (2, 0): None}),
        ("order", "unrooted", {(1, 1): (4, 0, 0, 0, 0, 0), (0, 1): None, (2, 0): None}),
        ("common", "rooted", {(2, 0): (0, 0, 0, 0, 0, 0), (2, 1): (0, 0, 0, 0, 0, 0)}),
    ):
        found = compared(treebank, f"split_counts(g.tree, t.tree, '{by}', '{rooting}')", "trees", "trees", everything)
        assert len(found) == 9
        assert {(i, j): found[3 * i + j] for i, j in expected} == expected
    quartets = compared(treebank, "quartet_counts(g.tree, t.tree, 'common')", "trees", "trees", everything)
    assert quartets == [
        (15, 15, 15, 15, 0, 0), (1, 1, 0, 0, 0, 0), None,
        (1, 0, 1, 0, 0, 0), (1, 0, 0, 0, 0, 1), None,
        None, None, (15, 15, 15, 15, 0, 0),
    ]  # fmt: skip


def test_trees_with_gaps(treebank: duckdb.DuckDBPyConnection) -> None:
    """A book arrived about bees: clusters of the sentence without its full stop, the book and about bees."""
    name = "discontinuous"
    assert compared(treebank, "split_counts(g.tree, t.tree, 'order', 'rooted')", name, name) == [
        (6, 3, 3, 3, 0, 0),
        (2, 0, 0, 0, 0, 0),
    ]
    assert compared(treebank, "split_counts(g.tree, t.tree, 'name', 'unrooted')", name, name) == [
        (6, 2, 2, 2, 0, 0),
        (2, 0, 0, 0, 0, 0),
    ]
    assert compared(treebank, "quartet_counts(g.tree, t.tree, 'order')", name, name) == [(15, 11, 11, 11, 0, 4), None]
    [(tree,)] = treebank.execute(f"SELECT tree FROM packed_trees('{name}') WHERE sentence = 0").fetchall()
    book = case([0, 1, 2], [2, 2, 1, 3, 3, 0], tree["forms"])
    high = book._replace(tree=Parse([0, 1, 1], [2, 2, 1, 3, 3, 0]))
    pairs = [(tree, packed(high)), (packed(high), tree), (tree, packed(book))]
    found = called(treebank, "split_counts", [*pairs], "order", "rooted")
    assert found == [(6, 3, 3, 2, 0, 0), (6, 3, 3, 2, 0, 0), (6, 3, 3, 3, 0, 0)]
    assert called(treebank, "skeleton_edit_distance", [*pairs], "order") == [
        skeleton_edits(both(book, high, ORDER)),
        skeleton_edits(both(high, book, ORDER)),
        0,
    ]
