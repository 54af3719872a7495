"""SQL functions of constituency trees, by hand."""

from __future__ import annotations

import duckdb
import pytest

import treesql
from tests.conftest import bare
from tests.functions.packed_trees import (
    CROSSED,
    LEFT,
    MORE,
    NOTHING,
    RIGHT,
    ROOTINGS,
    TURNED,
    Case,
    Counts,
    Packed,
    called,
    case,
    keyed,
    literal,
    packed,
    plain,
)
from tests.functions.trees_by_hand import both, known
from tests.house.rules import in_turn
from treesql.functions.constituency import LABELLED
from treesql.kernels.trees.skeletons import ORDER, TRACE, WORD


@in_turn(
    ("gold", "test", "by", "rooted", "unrooted"),
    [
        (LEFT, LEFT, "order", (4, 1, 1, 1, 0, 0), (4, 0, 0, 0, 0, 0)),
        (LEFT, RIGHT, "order", (4, 1, 2, 0, 1, 2), (4, 0, 1, 0, 0, 0)),
        (RIGHT, LEFT, "order", (4, 2, 1, 0, 2, 1), (4, 1, 0, 0, 0, 0)),
        (LEFT, CROSSED, "order", (4, 1, 2, 0, 1, 1), (4, 0, 1, 0, 0, 0)),
        (CROSSED, RIGHT, "name", (4, 2, 2, 0, 2, 2), (4, 1, 1, 0, 1, 1)),
        (LEFT, TURNED, "order", None, None),
        (LEFT, TURNED, "name", (4, 1, 1, 1, 0, 0), (4, 0, 0, 0, 0, 0)),
        (MORE, LEFT, "order", None, None),
        (MORE, LEFT, "name", None, None),
        (MORE, LEFT, "common", (4, 1, 1, 1, 0, 0), (4, 0, 0, 0, 0, 0)),
        (MORE, MORE, "order", (4, 1, 1, 1, 0, 0), (4, 0, 0, 0, 0, 0)),
        (LEFT, NOTHING, "common", (0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0)),
        (LEFT, NOTHING, "order", None, None),
        (NOTHING, NOTHING, "name", (0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0)),
    ],
)
def test_split_counts(
    treebank: duckdb.DuckDBPyConnection, gold: Case, test: Case, by: str, rooted: Counts, unrooted: Counts
) -> None:
    """Trees that stand in the SQL."""
    trees = f"{literal(packed(gold))}, {literal(packed(test))}, '{by}'"
    calls = ", ".join(f"split_counts({trees}, '{rooting}')" for rooting in ROOTINGS)
    [found] = treebank.execute(f"SELECT {calls}").fetchall()
    assert [plain(one) for one in found] == [rooted, unrooted]


def test_what_counts_are_called(treebank: duckdb.DuckDBPyConnection) -> None:
    tree = literal(packed(CROSSED))
    [(splits, quartets, keys)] = treebank.execute(f"""
        SELECT split_counts({tree}, {tree}, 'order', 'rooted'), quartet_counts({tree}, {tree}, 'order'),
               split_keys({tree}, 'rooted')
    """).fetchall()
    assert list(splits) == ["n_leaves", "gold", "test", "common", "gold_incompatible", "test_incompatible"]
    assert list(quartets) == ["quartets", "gold_butterflies", "test_butterflies", "same", "different", "both_star"]
    assert list(keys) == ["leaf_key", "keys"]


@in_turn(
    ("gold", "test", "by", "quartets", "edits"),
    [
        (CROSSED, CROSSED, "order", (1, 1, 1, 1, 0, 0), 0),
        (CROSSED, RIGHT, "order", (1, 1, 1, 0, 1, 0), 4),
        (LEFT, CROSSED, "order", (1, 0, 1, 0, 0, 0), 3),
        (LEFT, LEFT, "order", (1, 0, 0, 0, 0, 1), 0),
        (LEFT, TURNED, "order", None, None),
        (LEFT, TURNED, "name", (1, 0, 0, 0, 0, 1), 4),
        (MORE, LEFT, "common", (1, 0, 0, 0, 0, 1), 0),
        (case([0], [1, 1, 1], [1, 2, 3]), case([], [0, 0, 0], [1, 2, 3]), "order", None, 0),
        (NOTHING, NOTHING, "order", None, 0),
    ],
)
def test_quartets_and_skeletons(
    treebank: duckdb.DuckDBPyConnection, gold: Case, test: Case, by: str, quartets: Counts, edits: int | None
) -> None:
    pairs = [(packed(gold), packed(test))]
    assert called(treebank, "quartet_counts", [*pairs], by) == [quartets]
    assert called(treebank, "skeleton_edit_distance", [*pairs], by) == [edits]


@in_turn(
    ("gold", "test", "edits"),
    [
        (LEFT, LEFT, 0),
        (LEFT, LEFT._replace(labels=[1, 3]), 1),
        (LEFT, LEFT._replace(tags=[2, 2, 5, 6]), 2),
        (LEFT, LEFT._replace(forms=[1, 2, 3, 9]), 1),
        (LEFT, RIGHT, 3),
        (MORE, LEFT, 2),
        (LEFT, NOTHING, 10),
        (NOTHING, NOTHING, 0),
        (case([0, 1], [1, 2], [1, 2], [WORD, TRACE]), case([0], [1], [1]), 0),
    ],
)
def test_constituent_tree_edit_distance(
    treebank: duckdb.DuckDBPyConnection, gold: Case, test: Case, edits: int
) -> None:
    """Nothing, labels, tags and words renamed, phrases and words moved, a word dropped that is no trace, a trace."""
    one, other = (literal(packed(side, labelled=True), LABELLED) for side in (gold, test))
    sql = f"SELECT constituent_tree_edit_distance({one}, {other}), constituent_tree_edit_distance({other}, {one})"
    assert treebank.execute(sql).fetchall() == [(edits, edits)]
    nothing = literal(packed(NOTHING, labelled=True), LABELLED)
    inserted = f"SELECT constituent_tree_nodes({one}), constituent_tree_edit_distance({nothing}, {one})"
    [(nodes, insertions)] = treebank.execute(inserted).fetchall()
    assert nodes == insertions


def test_labels_of_64_bits(treebank: duckdb.DuckDBPyConnection) -> None:
    """Numbers that differ in their last bit are told from each other."""
    far = 2**64 - 1
    one = LEFT._replace(labels=[far, far], tags=[far] * 4, forms=[far, far - 1, 2**63, 2**63 - 1])
    two = one._replace(labels=[far, far - 1], tags=[far, far, far, far - 1], forms=[far, far - 1, 2**63, 2**63])
    lists = [(packed(one, labelled=True), packed(other, labelled=True)) for other in (one, two)]
    assert called(treebank, "constituent_tree_edit_distance", [*lists]) == [0, 3]
    assert called(treebank, "split_counts", [(packed(one), packed(two))], "order", "rooted") == [None]
    assert called(treebank, "split_counts", [(packed(one), packed(one))], "name", "rooted") == [(4, 1, 1, 1, 0, 0)]


@pytest.mark.parametrize(
    ("function", "gold", "test"),
    [
        ("split_counts", [1, 2, 2, 1, 1], [1, 1, 2, 2]),
        ("quartet_counts", [0, 1, 2, 2, 1, 1], [0, 1, 1, 2, 2]),
        ("skeleton_edit_distance", [1, 2, 2, 1, 1, 0], [1, 1, 2, 2, 0]),
    ],
)
def test_phrases_whose_first_word_is_a_trace(
    treebank: duckdb.DuckDBPyConnection, function: str, gold: list[int], test: list[int]
) -> None:
    """The first phrase has a gap in which the second stands; without the trace, it begins behind it."""
    words = list(range(1, len(test) + 1))
    trace = gold.index(1)
    late = case([0, 0], gold, [*words[:trace], 9, *words[trace:]])
    late.kinds[trace] = TRACE
    how = ("order", "unrooted") if function == "split_counts" else ("order",)
    for pair in ((late, late), (late, case([0, 0], test, words))):
        expected = known(function, both(*pair, ORDER))
        assert called(treebank, function, [(packed(pair[0]), packed(pair[1]))], *how) == [expected]


@pytest.mark.parametrize("function", ["split_counts", "quartet_counts", "skeleton_edit_distance"])
def test_missing_trees(treebank: duckdb.DuckDBPyConnection, function: str) -> None:
    """NULL makes NULL, and leaves other rows alone."""
    how = ("order", "rooted") if function == "split_counts" else ("order",)
    tree = packed(CROSSED)
    [known] = called(treebank, function, [(tree, tree)], *how)
    assert known is not None
    pairs = [(tree, tree), (None, tree), (tree, None), (None, None), (tree, tree)]
    assert called(treebank, function, pairs, *how) == [known, None, None, None, known]
    rest = ", ".join(f"'{one}'" for one in how)
    for one, other in ((None, tree), (tree, None), (None, None)):
        sql = f"SELECT {function}({literal(one)}, {literal(other)}, {rest})"
        assert treebank.execute(sql).fetchall() == [(None,)]
    assert treebank.execute(f"SELECT {function}(NULL, NULL, {rest})").fetchall() == [(None,)]
    none = f"SELECT {function}(t, t, {rest}) FROM (SELECT {literal(tree)} AS t) WHERE t.forms[1] = 7"
    assert treebank.execute(none).fetchall() == []


def test_missing_trees_of_other_functions(treebank: duckdb.DuckDBPyConnection) -> None:
    tree = packed(LEFT, labelled=True)
    pairs = [(tree, None), (tree, tree), (None, tree), (None, None), (tree, tree)]
    assert called(treebank, "constituent_tree_edit_distance", pairs) == [None, 0, None, None, 0]
    one = packed(LEFT)
    known = keyed(treebank, [one], "rooted")[0]
    assert known is not None
    assert len(known[1]) == 1
    assert keyed(treebank, [None, one, None, one], "rooted") == [None, known, None, known]
    assert keyed(treebank, [None], "unrooted") == [None]
    assert treebank.execute("SELECT split_keys(NULL, 'rooted')").fetchall() == [(None,)]
    empty = keyed(treebank, [packed(NOTHING)], "rooted")[0]
    assert empty is not None
    assert empty[1] == []


def test_keys(treebank: duckdb.DuckDBPyConnection) -> None:
    """The names of leaves make them, whatever the order; a split has one key whichever side is a phrase."""
    trees: list[Packed | None] = [packed(one) for one in (LEFT, TURNED, RIGHT, CROSSED)]
    left, turned, right, crossed = keyed(treebank, trees, "rooted")
    assert left == turned
    assert left is not None
    assert right is not None
    assert crossed is not None
    assert {one[0] for one in (right, crossed)} == {left[0]}
    assert len({*left[1], *right[1], *crossed[1]}) == 5
    front = case([0], [1, 1, 0, 0, 0], [1, 2, 3, 4, 5])
    behind = case([0], [0, 0, 1, 1, 1], [1, 2, 3, 4, 5])
    one, other = keyed(treebank, [packed(front), packed(behind)], "unrooted")
    assert one == other
    one, other = keyed(treebank, [packed(front), packed(behind)], "rooted")
    assert one != other
    traced = front._replace(forms=[1, 2, 3, 4, 5], kinds=[WORD, WORD, WORD, WORD, TRACE])
    shorter = case([0], [1, 1, 0, 0], [1, 2, 3, 4])
    one, other = keyed(treebank, [packed(traced), packed(shorter)], "rooted")
    assert one == other


@pytest.mark.slow
def test_keys_are_the_same_whatever_buffers_hold_the_texts(db: treesql.Database) -> None:
    """DuckDB's settings choose the Arrow type of texts."""
    sql = "SELECT list(text_key(t) ORDER BY t) AS keys FROM (VALUES ('a'), ('b'), ('a longer text')) AS v(t)"
    [usual] = db.sql(sql).rows()
    assert len(set(usual["keys"])) == 3
    for setting in ("arrow_large_buffer_size", "produce_arrow_string_view"):
        with treesql.connect() as other:
            bare(other).execute(f"SET {setting} = true")
            assert other.sql(sql).rows() == [usual]
