"""SQL functions of constituency trees, against plain Python and by hand."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from itertools import combinations
from math import comb
from random import Random
from typing import Any, NamedTuple

import duckdb
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import treesql
from tests.conftest import FIXTURES
from tests.kernels.leaves import number_by_hand
from tests.kernels.nested import Leaves, conflict, quartet_side
from tests.kernels.ordered_trees import Forest, edit_distance
from tests.kernels.phrases import Names, Parse, continuous, forest_of, inner_sets, leaf_sets, parses, still_in_order
from treesql.errors import QueryError
from treesql.functions.constituency import LABELLED, TREE
from treesql.kernels.leaves import COMMON, LEFT_OUT, NAME, ORDER, TRACE, WORD

FILES = ("gold.mrg", "test.mrg", "trees.nwk", "discontinuous.export")
BY = {ORDER: "order", NAME: "name", COMMON: "common"}
ROOTINGS = ("rooted", "unrooted")

Packed = dict[str, list[int]]
Counts = tuple[int, ...] | None


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """One that has the fixtures as corpora of their names, without their suffixes; for reading only."""
    with treesql.connect() as db, warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*secondary edge")
        for name in FILES:
            db.load(FIXTURES / name, corpus=name.split(".")[0])
        yield db.connection


class Case(NamedTuple):
    """A tree with what its words are called and what they are."""

    tree: Parse
    forms: list[int]
    kinds: list[int]
    tags: list[int]
    labels: list[int]


def case(parents: list[int], phrases: list[int], forms: list[int], kinds: list[int] | None = None) -> Case:
    """Tags are 2, labels 1."""
    n = len(phrases)
    return Case(Parse(parents, phrases), forms, [WORD] * n if kinds is None else kinds, [2] * n, [1] * len(parents))


def packed(one: Case, labelled: bool = False) -> Packed:
    """As the functions take it."""
    columns = {
        "parents": one.tree.parents,
        "labels": one.labels,
        "phrases": one.tree.phrases,
        "tags": one.tags,
        "forms": one.forms,
        "kinds": one.kinds,
    }
    fields = re.findall(r"(\w+) \w+\[\]", LABELLED if labelled else TREE)
    return {name: columns[name] for name in fields}


def literal(tree: Packed | None, kind: str = TREE) -> str:
    """A tree as it stands in SQL."""
    return f"CAST({tree if tree is not None else 'NULL'} AS {kind})"


PAIRS = f"(SELECT unnest(CAST(? AS STRUCT(gold {TREE}, test {TREE})[])) AS pair)"
LABELLED_PAIRS = f"(SELECT unnest(CAST(? AS STRUCT(gold {LABELLED}, test {LABELLED})[])) AS pair)"
KEYS = f"SELECT split_keys(tree, '{{}}') FROM (SELECT unnest(CAST(? AS {TREE}[])) AS tree)"


def plain(value: Any) -> Any:
    """A struct as the tuple of its values."""
    return tuple(value.values()) if isinstance(value, dict) else value


def called(
    connection: duckdb.DuckDBPyConnection, function: str, pairs: list[tuple[Packed | None, Packed | None]], *how: str
) -> list[Any]:
    """What a function says of each pair."""
    rows = LABELLED_PAIRS if function == "constituent_tree_edit_distance" else PAIRS
    arguments = ", ".join(["pair.gold", "pair.test", *(f"'{one}'" for one in how)])
    given = [{"gold": gold, "test": test} for gold, test in pairs]
    found = connection.execute(f"SELECT {function}({arguments}) FROM {rows}", [given]).fetchall()
    return [plain(value) for (value,) in found]


def keyed(
    connection: duckdb.DuckDBPyConnection, trees: list[Packed | None], rooting: str
) -> list[tuple[int, list[int]] | None]:
    found = connection.execute(KEYS.format(rooting), [trees]).fetchall()
    return [None if value is None else (value["leaf_key"], value["keys"]) for (value,) in found]


def members(sets: set[Leaves], n: int, unrooted: bool) -> set[Leaves]:
    everything = frozenset(range(n))
    if not unrooted:
        return {one for one in sets if len(one) < n}
    return {one if 0 in one else everything - one for one in sets if len(one) <= n - 2}


class Both(NamedTuple):
    """Two trees and the numbers of their leaves."""

    gold: Case
    test: Case
    numbers: list[int]
    test_numbers: list[int]
    comparable: bool

    @property
    def in_order(self) -> bool:
        sides = ((self.gold, self.numbers), (self.test, self.test_numbers))
        return all(still_in_order(side.tree, numbers) for side, numbers in sides)

    @property
    def sets(self) -> tuple[set[Leaves], set[Leaves], int]:
        one, other = (
            inner_sets(side.tree, numbers)
            for side, numbers in ((self.gold, self.numbers), (self.test, self.test_numbers))
        )
        return one, other, sum(number >= 0 for number in self.numbers)


def both(gold: Case, test: Case, by: int) -> Both:
    one, other = (list(zip(side.forms, side.kinds, strict=True)) for side in (gold, test))
    return Both(gold, test, *number_by_hand(one, other, by))


def counted_splits(pair: Both, rooting: str) -> Counts:
    """What split_counts says."""
    if not pair.comparable:
        return None
    gold, test, n = pair.sets
    unrooted = rooting == "unrooted"
    one, other = members(gold, n, unrooted), members(test, n, unrooted)
    against = [(a, b) for a in one for b in other if conflict(a, b, n, unrooted)]
    return (
        n, len(one), len(other), len(one & other), len({a for a, _ in against}), len({b for _, b in against})
    )  # fmt: skip


def counted_quartets(pair: Both) -> Counts:
    """What quartet_counts says."""
    gold, test, n = pair.sets
    if not pair.comparable or n < 4:
        return None
    found = [(quartet_side(gold, four), quartet_side(test, four)) for four in combinations(range(n), 4)]
    return (
        comb(n, 4),
        sum(a is not None for a, _ in found),
        sum(b is not None for _, b in found),
        sum(a is not None and a == b for a, b in found),
        sum(a is not None and b is not None and a != b for a, b in found),
        sum(a is None and b is None for a, b in found),
    )


def skeleton(tree: Parse, numbers: list[int]) -> Forest:
    """Without labels and unary nodes; where phrases have gaps, those below a phrase stand in front of its words."""
    gaps = not continuous(tree, numbers)
    words = [word if numbers[word] >= 0 else -1 for word in range(len(numbers))]
    below = leaf_sets(tree, words)

    def joined(node: int) -> Forest:
        found: list[tuple[tuple[bool, int], tuple[int, Forest]]] = [
            ((gaps, word), (numbers[word], ())) for word in words if word >= 0 and tree.phrases[word] == node
        ]
        for child, above in enumerate(tree.parents, 1):
            if above == node and below[child - 1]:
                inner = joined(child)
                found.append(((False, min(below[child - 1])), inner[0] if len(inner) == 1 else (-1, inner)))
        return tuple(one for _, one in sorted(found))

    top = joined(0)
    return ((-1, top),) if len(top) > 1 else top


def skeleton_edits(pair: Both) -> int | None:
    if not pair.comparable:
        return None
    return edit_distance(skeleton(pair.gold.tree, pair.numbers), skeleton(pair.test.tree, pair.test_numbers), 1)


def forest(one: Case) -> Forest:
    """With labels, tags and words, without traces."""
    kept = [kind != TRACE for kind in one.kinds]
    return forest_of(one.tree, Names(one.labels, one.tags, one.forms, kept))


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
    for called in (forms, others):
        words = [(form, draw(st.sampled_from([WORD, WORD, WORD, LEFT_OUT]))) for form in called]
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
def test_random_trees(connection: duckdb.DuckDBPyConnection, by: int, data: st.DataObject) -> None:
    """Counts and distances of trees of which many have gaps.

    Trees whose phrases change their order with the words left out are passed over: see tests/kernels/test_skeletons.py.
    """
    pairs = [both(*data.draw(sides(by)), by) for _ in range(data.draw(st.integers(1, 5)))]
    pairs = [pair for pair in pairs if pair.in_order]
    given = [{"gold": packed(pair.gold), "test": packed(pair.test)} for pair in pairs]
    trees = f"pair.gold, pair.test, '{BY[by]}'"
    found = connection.execute(
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
def test_random_labelled_trees(connection: duckdb.DuckDBPyConnection, data: st.DataObject) -> None:
    pairs = [data.draw(sides(ORDER)) for _ in range(data.draw(st.integers(1, 3)))]
    expected = [edit_distance(forest(gold), forest(test), 1) for gold, test in pairs]
    lists: list[tuple[Packed | None, Packed | None]] = [
        (packed(gold, labelled=True), packed(test, labelled=True)) for gold, test in pairs
    ]
    assert called(connection, "constituent_tree_edit_distance", lists) == expected


@pytest.mark.parametrize("rooting", ROOTINGS)
@given(data=st.data())
@settings(deadline=None, max_examples=20)
def test_random_keys(connection: duckdb.DuckDBPyConnection, rooting: str, data: st.DataObject) -> None:
    """Trees share as many keys as split_counts says, and the key of all leaves where leaves are the same."""
    trees = [tree for _ in range(2) for tree in data.draw(sides(NAME))]
    trees = [tree._replace(kinds=[TRACE if kind == TRACE else WORD for kind in tree.kinds]) for tree in trees]
    for tree in trees:
        kept = [-1 if kind == TRACE else word for word, kind in enumerate(tree.kinds)]
        assume(still_in_order(tree.tree, kept))
    found = keyed(connection, [packed(tree) for tree in trees], rooting)
    for one, known in zip(trees, found, strict=True):
        for other, also_known in zip(trees, found, strict=True):
            counts = counted_splits(both(one, other, NAME), rooting)
            assert known is not None
            assert also_known is not None
            assert (known[0] == also_known[0]) == (counts is not None)
            if counts is not None:
                assert (len(set(known[1])), len(known[1])) == (counts[1], counts[1])
                assert len(set(known[1]) & set(also_known[1])) == counts[3]


# The old ferry left: [[The old ferry] left], [The [old [ferry left]]], [[The ferry] [old left]], with gaps.
LEFT = case([0, 1], [2, 2, 2, 1], [1, 2, 3, 4])
RIGHT = case([0, 1, 2], [1, 2, 3, 3], [1, 2, 3, 4])
CROSSED = case([0, 1, 1], [2, 3, 2, 3], [1, 2, 3, 4])
TURNED = case([0, 1], [1, 2, 2, 2], [4, 3, 2, 1])
MORE = case([0, 1], [2, 2, 2, 1, 2, 1], [1, 2, 3, 4, 5, 6], [WORD, WORD, WORD, WORD, TRACE, LEFT_OUT])
NOTHING = case([], [], [])


@pytest.mark.parametrize(
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
    connection: duckdb.DuckDBPyConnection, gold: Case, test: Case, by: str, rooted: Counts, unrooted: Counts
) -> None:
    """Trees that stand in the SQL."""
    trees = f"{literal(packed(gold))}, {literal(packed(test))}, '{by}'"
    calls = ", ".join(f"split_counts({trees}, '{rooting}')" for rooting in ROOTINGS)
    [found] = connection.execute(f"SELECT {calls}").fetchall()
    assert [plain(one) for one in found] == [rooted, unrooted]


def test_what_counts_are_called(connection: duckdb.DuckDBPyConnection) -> None:
    tree = literal(packed(CROSSED))
    [(splits, quartets, keys)] = connection.execute(f"""
        SELECT split_counts({tree}, {tree}, 'order', 'rooted'), quartet_counts({tree}, {tree}, 'order'),
               split_keys({tree}, 'rooted')
    """).fetchall()
    assert list(splits) == ["n_leaves", "gold", "test", "common", "gold_incompatible", "test_incompatible"]
    assert list(quartets) == ["quartets", "gold_butterflies", "test_butterflies", "same", "different", "both_star"]
    assert list(keys) == ["leaf_key", "keys"]


@pytest.mark.parametrize(
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
    connection: duckdb.DuckDBPyConnection, gold: Case, test: Case, by: str, quartets: Counts, edits: int | None
) -> None:
    pairs = [(packed(gold), packed(test))]
    assert called(connection, "quartet_counts", [*pairs], by) == [quartets]
    assert called(connection, "skeleton_edit_distance", [*pairs], by) == [edits]


@pytest.mark.parametrize(
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
    connection: duckdb.DuckDBPyConnection, gold: Case, test: Case, edits: int
) -> None:
    """Nothing, labels, tags and words renamed, phrases and words moved, a word dropped that is no trace, a trace."""
    one, other = (literal(packed(side, labelled=True), LABELLED) for side in (gold, test))
    sql = f"SELECT constituent_tree_edit_distance({one}, {other}), constituent_tree_edit_distance({other}, {one})"
    assert connection.execute(sql).fetchall() == [(edits, edits)]


def test_labels_of_64_bits(connection: duckdb.DuckDBPyConnection) -> None:
    """Numbers that differ in their last bit are told from each other."""
    far = 2**64 - 1
    one = LEFT._replace(labels=[far, far], tags=[far] * 4, forms=[far, far - 1, 2**63, 2**63 - 1])
    two = one._replace(labels=[far, far - 1], tags=[far, far, far, far - 1], forms=[far, far - 1, 2**63, 2**63])
    lists = [(packed(one, labelled=True), packed(other, labelled=True)) for other in (one, two)]
    assert called(connection, "constituent_tree_edit_distance", [*lists]) == [0, 3]
    assert called(connection, "split_counts", [(packed(one), packed(two))], "order", "rooted") == [None]
    assert called(connection, "split_counts", [(packed(one), packed(one))], "name", "rooted") == [(4, 1, 1, 1, 0, 0)]


@pytest.mark.parametrize(
    ("function", "gold", "test"),
    [
        ("split_counts", [1, 2, 2, 1, 1], [1, 1, 2, 2]),
        ("quartet_counts", [0, 1, 2, 2, 1, 1], [0, 1, 1, 2, 2]),
        ("skeleton_edit_distance", [1, 2, 2, 1, 1, 0], [1, 1, 2, 2, 0]),
    ],
)
def test_phrases_whose_first_word_is_a_trace(
    connection: duckdb.DuckDBPyConnection, function: str, gold: list[int], test: list[int]
) -> None:
    """The first phrase has a gap in which the second stands; without the trace, it begins behind it."""
    words = list(range(1, len(test) + 1))
    trace = gold.index(1)
    late = case([0, 0], gold, [*words[:trace], 9, *words[trace:]])
    late.kinds[trace] = TRACE
    how = ("order", "unrooted") if function == "split_counts" else ("order",)
    for pair in ((late, late), (late, case([0, 0], test, words))):
        expected = known(function, both(*pair, ORDER))
        assert called(connection, function, [(packed(pair[0]), packed(pair[1]))], *how) == [expected]


@pytest.mark.parametrize("function", ["split_counts", "quartet_counts", "skeleton_edit_distance"])
def test_missing_trees(connection: duckdb.DuckDBPyConnection, function: str) -> None:
    """NULL makes NULL, and leaves other rows alone."""
    how = ("order", "rooted") if function == "split_counts" else ("order",)
    tree = packed(CROSSED)
    [known] = called(connection, function, [(tree, tree)], *how)
    assert known is not None
    pairs = [(tree, tree), (None, tree), (tree, None), (None, None), (tree, tree)]
    assert called(connection, function, pairs, *how) == [known, None, None, None, known]
    rest = ", ".join(f"'{one}'" for one in how)
    for one, other in ((None, tree), (tree, None), (None, None)):
        sql = f"SELECT {function}({literal(one)}, {literal(other)}, {rest})"
        assert connection.execute(sql).fetchall() == [(None,)]
    assert connection.execute(f"SELECT {function}(NULL, NULL, {rest})").fetchall() == [(None,)]
    none = f"SELECT {function}(t, t, {rest}) FROM (SELECT {literal(tree)} AS t) WHERE t.forms[1] = 7"
    assert connection.execute(none).fetchall() == []


def test_missing_trees_of_other_functions(connection: duckdb.DuckDBPyConnection) -> None:
    tree = packed(LEFT, labelled=True)
    pairs = [(tree, None), (tree, tree), (None, tree), (None, None), (tree, tree)]
    assert called(connection, "constituent_tree_edit_distance", pairs) == [None, 0, None, None, 0]
    one = packed(LEFT)
    known = keyed(connection, [one], "rooted")[0]
    assert known is not None
    assert len(known[1]) == 1
    assert keyed(connection, [None, one, None, one], "rooted") == [None, known, None, known]
    assert keyed(connection, [None], "unrooted") == [None]
    assert connection.execute("SELECT split_keys(NULL, 'rooted')").fetchall() == [(None,)]
    empty = keyed(connection, [packed(NOTHING)], "rooted")[0]
    assert empty is not None
    assert empty[1] == []


def test_keys(connection: duckdb.DuckDBPyConnection) -> None:
    """The names of leaves make them, whatever the order; a split has one key whichever side is a phrase."""
    trees: list[Packed | None] = [packed(one) for one in (LEFT, TURNED, RIGHT, CROSSED)]
    left, turned, right, crossed = keyed(connection, trees, "rooted")
    assert left == turned
    assert left is not None
    assert right is not None
    assert crossed is not None
    assert {one[0] for one in (right, crossed)} == {left[0]}
    assert len({*left[1], *right[1], *crossed[1]}) == 5
    front = case([0], [1, 1, 0, 0, 0], [1, 2, 3, 4, 5])
    behind = case([0], [0, 0, 1, 1, 1], [1, 2, 3, 4, 5])
    one, other = keyed(connection, [packed(front), packed(behind)], "unrooted")
    assert one == other
    one, other = keyed(connection, [packed(front), packed(behind)], "rooted")
    assert one != other
    traced = front._replace(forms=[1, 2, 3, 4, 5], kinds=[WORD, WORD, WORD, WORD, TRACE])
    shorter = case([0], [1, 1, 0, 0], [1, 2, 3, 4])
    one, other = keyed(connection, [packed(traced), packed(shorter)], "rooted")
    assert one == other


WORDS = "of a tree must be lists of one length"


@pytest.mark.parametrize(
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
    connection: duckdb.DuckDBPyConnection, changed: dict[str, list[int] | None], message: str
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
                called(connection, function, pairs, *how)
            assert message in str(raised.value)
    with pytest.raises(duckdb.InvalidInputException) as raised:
        keyed(connection, [good, bad], "rooted")
    assert message in str(raised.value)
    tree = packed(LEFT, labelled=True)
    bad = {**tree, **changed}
    with pytest.raises(duckdb.InvalidInputException) as raised:
        called(connection, "constituent_tree_edit_distance", [(tree, tree), (tree, bad)])
    assert message in str(raised.value)


def test_labels_and_tags_of_other_lengths(connection: duckdb.DuckDBPyConnection) -> None:
    good = packed(LEFT, labelled=True)
    for name, message in (("labels", f"parents, labels {WORDS}"), ("tags", f"phrases, tags, forms, kinds {WORDS}")):
        with pytest.raises(duckdb.InvalidInputException) as raised:
            called(connection, "constituent_tree_edit_distance", [(good, {**good, name: [1]})])
        assert message in str(raised.value)


@pytest.mark.parametrize(
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
def test_words_that_are_no_choice(connection: duckdb.DuckDBPyConnection, call: str, message: str) -> None:
    with pytest.raises(duckdb.InvalidInputException, match=message):
        connection.execute(f"SELECT {call} FROM (SELECT {literal(packed(LEFT))} AS t)").fetchall()


def test_several_ways_in_one_query(connection: duckdb.DuckDBPyConnection) -> None:
    one, other = literal(packed(LEFT)), literal(packed(TURNED))
    ways = [(by, rooting) for by in BY.values() for rooting in ROOTINGS]
    calls = ", ".join(f"(split_counts(a, b, '{by}', '{rooting}')).common" for by, rooting in ways)
    found = connection.execute(f"SELECT {calls} FROM (SELECT {one} AS a, {other} AS b)").fetchall()
    assert found == [(None, None, 1, 0, 1, 0)]


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


@pytest.mark.parametrize("function", ["split_counts", "quartet_counts", "skeleton_edit_distance"])
def test_many_rows(connection: duckdb.DuckDBPyConnection, pool: list[Case | None], function: str) -> None:
    """Several vectors, with rows left out by a filter and with missing trees."""
    n = len(pool)
    trees = [None if tree is None else packed(tree) for tree in pool]
    expected = {
        (i, j): None if gold is None or test is None else known(function, both(gold, test, NAME))
        for i, gold in enumerate(pool)
        for j, test in enumerate(pool[:7])
    }
    how = "'name', 'unrooted'" if function == "split_counts" else "'name'"
    found = connection.execute(
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


def known(function: str, pair: Both) -> Counts | int:
    if function == "split_counts":
        return counted_splits(pair, "unrooted")
    return counted_quartets(pair) if function == "quartet_counts" else skeleton_edits(pair)


def test_many_keys_and_labelled_trees(connection: duckdb.DuckDBPyConnection, pool: list[Case | None]) -> None:
    n = len(pool)
    trees = [None if tree is None else packed(tree) for tree in pool]
    alone = keyed(connection, trees, "rooted")
    found = connection.execute(
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
    found = connection.execute(
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


def compared(
    connection: duckdb.DuckDBPyConnection, call: str, gold: str, test: str, condition: str = "g.sentence = t.sentence"
) -> list[Any]:
    """A function of the packed trees of two corpora."""
    sql = f"SELECT {call} FROM packed_trees('{gold}') AS g JOIN packed_trees('{test}') AS t ON {condition}"
    found = connection.execute(f"{sql} ORDER BY g.sentence, t.sentence").fetchall()
    return [plain(value) for (value,) in found]


def test_parses(connection: duckdb.DuckDBPyConnection) -> None:
    """The worked examples: a phrase attached high or low, traces, a verb in a noun phrase, another label, quotes."""
    expected = [(9, 4, 5, 4, 0, 0), (6, 3, 3, 3, 0, 0), (6, 2, 2, 1, 0, 0), (7, 2, 2, 2, 0, 0), (8, 1, 1, 1, 0, 0)]
    for how in ("'order', 'rooted'", "'order', 'unrooted'", "'name', 'rooted'", "'common', 'unrooted'"):
        assert compared(connection, f"split_counts(g.tree, t.tree, {how})", "gold", "test") == expected
    assert compared(connection, "skeleton_edit_distance(g.tree, t.tree, 'order')", "gold", "test") == [1, 0, 2, 0, 0]
    [(sizes,)] = connection.execute("""
        SELECT list(len(split_keys(tree, 'rooted').keys) ORDER BY sentence) FROM packed_trees('gold')
    """).fetchall()
    assert sizes == [4, 3, 2, 2, 1]
    [(edits,)] = connection.execute("""
        SELECT list(constituent_tree_edit_distance(g.tree, t.tree) ORDER BY g.sentence)
        FROM labelled_trees('gold') AS g JOIN labelled_trees('test') AS t ON t.sentence = g.sentence
    """).fetchall()
    assert edits == [1, 0, 4, 1, 0]


def test_parses_without_punctuation(connection: duckdb.DuckDBPyConnection) -> None:
    found = connection.execute("""
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


def test_newick_trees(connection: duckdb.DuckDBPyConnection) -> None:
    """Each with each: the first two share four leaves, which one of them does not group, the third has other birds."""
    everything = "g.sentence <> -1 AND t.sentence <> -1"
    for by, rooting, expected in (
        ("common", "rooted", {(0, 0): (6, 4, 4, 4, 0, 0), (0, 1): (4, 2, 0, 0, 0, 0), (2, 2): (6, 4, 4, 4, 0, 0)}),
        ("common", "unrooted", {(0, 0): (6, 3, 3, 3, 0, 0), (0, 1): (4, 1, 0, 0, 0, 0), (2, 2): (6, 3, 3, 3, 0, 0)}),
        ("name", "rooted", {(0, 0): (6, 4, 4, 4, 0, 0), (0, 1): None, (2, 0): None}),
        ("order", "unrooted", {(1, 1): (4, 0, 0, 0, 0, 0), (0, 1): None, (2, 0): None}),
        ("common", "rooted", {(2, 0): (0, 0, 0, 0, 0, 0), (2, 1): (0, 0, 0, 0, 0, 0)}),
    ):
        found = compared(connection, f"split_counts(g.tree, t.tree, '{by}', '{rooting}')", "trees", "trees", everything)
        assert len(found) == 9
        assert {(i, j): found[3 * i + j] for i, j in expected} == expected
    quartets = compared(connection, "quartet_counts(g.tree, t.tree, 'common')", "trees", "trees", everything)
    assert quartets == [
        (15, 15, 15, 15, 0, 0), (1, 1, 0, 0, 0, 0), None,
        (1, 0, 1, 0, 0, 0), (1, 0, 0, 0, 0, 1), None,
        None, None, (15, 15, 15, 15, 0, 0),
    ]  # fmt: skip


def test_trees_with_gaps(connection: duckdb.DuckDBPyConnection) -> None:
    """A book arrived about bees: clusters of the sentence without its full stop, the book and about bees."""
    name = "discontinuous"
    assert compared(connection, "split_counts(g.tree, t.tree, 'order', 'rooted')", name, name) == [
        (6, 3, 3, 3, 0, 0),
        (2, 0, 0, 0, 0, 0),
    ]
    assert compared(connection, "split_counts(g.tree, t.tree, 'name', 'unrooted')", name, name) == [
        (6, 2, 2, 2, 0, 0),
        (2, 0, 0, 0, 0, 0),
    ]
    assert compared(connection, "quartet_counts(g.tree, t.tree, 'order')", name, name) == [(15, 11, 11, 11, 0, 4), None]
    [(tree,)] = connection.execute(f"SELECT tree FROM packed_trees('{name}') WHERE sentence = 0").fetchall()
    book = case([0, 1, 2], [2, 2, 1, 3, 3, 0], tree["forms"])
    high = book._replace(tree=Parse([0, 1, 1], [2, 2, 1, 3, 3, 0]))
    pairs = [(tree, packed(high)), (packed(high), tree), (tree, packed(book))]
    found = called(connection, "split_counts", [*pairs], "order", "rooted")
    assert found == [(6, 3, 3, 2, 0, 0), (6, 3, 3, 2, 0, 0), (6, 3, 3, 3, 0, 0)]
    assert called(connection, "skeleton_edit_distance", [*pairs], "order") == [
        skeleton_edits(both(book, high, ORDER)),
        skeleton_edits(both(high, book, ORDER)),
        0,
    ]


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


@pytest.mark.slow
def test_keys_are_the_same_whatever_buffers_hold_the_texts(db: treesql.Database) -> None:
    """DuckDB's settings choose the Arrow type of texts."""
    sql = "SELECT list(text_key(t) ORDER BY t) AS keys FROM (VALUES ('a'), ('b'), ('a longer text')) AS v(t)"
    [usual] = db.sql(sql).rows()
    assert len(set(usual["keys"])) == 3
    for setting in ("arrow_large_buffer_size", "produce_arrow_string_view"):
        with treesql.connect() as other:
            other.connection.execute(f"SET {setting} = true")
            assert other.sql(sql).rows() == [usual]
