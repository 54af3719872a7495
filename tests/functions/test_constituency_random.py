"""SQL functions of constituency trees, against plain Python."""

from __future__ import annotations

import duckdb
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.functions.packed_trees import BY, PAIRS, ROOTINGS, Case, Packed, called, keyed, packed, plain
from tests.functions.trees_by_hand import both, counted_quartets, counted_splits, forest, skeleton_edits
from tests.kernels.ordered_trees import edit_distance
from tests.kernels.phrases import parses, still_in_order
from treesql.kernels.skeletons import LEFT_OUT, NAME, ORDER, TRACE, WORD


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


@pytest.mark.parametrize("by", BY)
@given(data=st.data())
@settings(deadline=None, max_examples=20)
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
@settings(deadline=None, max_examples=20)
def test_random_labelled_trees(treebank: duckdb.DuckDBPyConnection, data: st.DataObject) -> None:
    pairs = [data.draw(sides(ORDER)) for _ in range(data.draw(st.integers(1, 3)))]
    expected = [edit_distance(forest(gold), forest(test), 1) for gold, test in pairs]
    lists: list[tuple[Packed | None, Packed | None]] = [
        (packed(gold, labelled=True), packed(test, labelled=True)) for gold, test in pairs
    ]
    assert called(treebank, "constituent_tree_edit_distance", lists) == expected


@pytest.mark.parametrize("rooting", ROOTINGS)
@given(data=st.data())
@settings(deadline=None, max_examples=20)
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
