"""SQL functions of constituency trees, against plain Python: random trees, and those of corpora."""

from __future__ import annotations

from math import comb
from typing import Any

import duckdb
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.functions.packed_trees import BY, PAIRS, ROOTINGS, Case, Packed, called, case, keyed, packed, plain
from tests.functions.trees_by_hand import both, counted_quartets, counted_splits, forest, skeleton_edits
from tests.kernels.ordered_trees import edit_distance
from tests.kernels.phrases import Parse, parses, still_in_order
from treesql.kernels.trees.skeletons import LEFT_OUT, NAME, ORDER, TRACE, WORD


@st.composite
def sides(draw: st.DrawFn, by: int) -> tuple[Case, Case]:
    """Two trees, with gaps or without, of words that are mostly the same."""
    small = st.integers(1, 3)
    unique = by != ORDER or draw(st.booleans())
    forms = draw(st.lists(st.integers(1, 9), max_size=6, unique=unique))
    others = list(forms) if by == ORDER else list(draw(st.permutations(forms)))
    if others and not draw(st.integers(0, 3)):
        others[draw(st.integers(0, len(others) - 1))] = draw(st.integers(10, 12))
    found = []
    gaps = draw(st.booleans())
    for chosen in (forms, others):
        words = [(form, draw(st.sampled_from([WORD, WORD, WORD, LEFT_OUT]))) for form in chosen]
        for trace in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
            words.insert(draw(st.integers(0, len(words))), (20 + trace, TRACE))
        n = len(words)
        tree = draw(parses(smallest=n, largest=n, gaps=gaps))
        labels = draw(st.lists(small, min_size=len(tree.parents), max_size=len(tree.parents)))
        tags = draw(st.lists(small, min_size=n, max_size=n))
        found.append(Case(tree, [form for form, _ in words], [kind for _, kind in words], tags, labels))
    return found[0], found[1]


@pytest.mark.spread(3, rest="slow")
@pytest.mark.parametrize("by", BY)
@given(data=st.data())
@settings(deadline=None, max_examples=10)
def test_random_trees(treebank: duckdb.DuckDBPyConnection, by: int, data: st.DataObject) -> None:
    """Counts and distances of trees of which many have gaps.

    Trees whose phrases change their order with the words left out are passed over: see tests/kernels/test_skeletons.py.
    """
    pairs = [both(*data.draw(sides(by)), by) for _ in range(data.draw(st.integers(1, 5)))]
    pairs = [pair for pair in pairs if pair.in_order]
    given = [{"gold": packed(pair.gold), "test": packed(pair.test)} for pair in pairs]
    trees = f"pair.gold, pair.test, '{BY[by]}'"
    found = treebank.execute(
        f"""
        SELECT split_counts({trees}, 'rooted'), split_counts({trees}, 'unrooted'), quartet_counts({trees}),
               skeleton_edit_distance({trees})
        FROM {PAIRS}
        """,
        [given],
    ).fetchall()
    assert [tuple(map(plain, row)) for row in found] == [
        (counted_splits(pair, "rooted"), counted_splits(pair, "unrooted"), counted_quartets(pair), skeleton_edits(pair))
        for pair in pairs
    ]


@given(data=st.data())
@settings(deadline=None, max_examples=10)
def test_random_labelled_trees(treebank: duckdb.DuckDBPyConnection, data: st.DataObject) -> None:
    pairs = [data.draw(sides(ORDER)) for _ in range(data.draw(st.integers(1, 3)))]
    expected = [edit_distance(forest(gold), forest(test), 1) for gold, test in pairs]
    lists: list[tuple[Packed | None, Packed | None]] = [
        (packed(gold, labelled=True), packed(test, labelled=True)) for gold, test in pairs
    ]
    assert called(treebank, "constituent_tree_edit_distance", lists) == expected


@pytest.mark.parametrize("rooting", ROOTINGS)
@given(data=st.data())
@settings(deadline=None, max_examples=10)
def test_random_keys(treebank: duckdb.DuckDBPyConnection, rooting: str, data: st.DataObject) -> None:
    """Trees share as many keys as split_counts says, and the key of all leaves where leaves are the same."""
    trees = [tree for _ in range(2) for tree in data.draw(sides(NAME))]
    trees = [tree._replace(kinds=[TRACE if kind == TRACE else WORD for kind in tree.kinds]) for tree in trees]
    for tree in trees:
        kept = [-1 if kind == TRACE else word for word, kind in enumerate(tree.kinds)]
        assume(still_in_order(tree.tree, kept))
    found = keyed(treebank, [packed(tree) for tree in trees], rooting)
    for one, known in zip(trees, found, strict=True):
        for other, also_known in zip(trees, found, strict=True):
            counts = counted_splits(both(one, other, NAME), rooting)
            assert known is not None
            assert also_known is not None
            assert (known[0] == also_known[0]) == (counts is not None)
            if counts is not None:
                assert (len(set(known[1])), len(known[1])) == (counts[1], counts[1])
                assert len(set(known[1]) & set(also_known[1])) == counts[3]


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
