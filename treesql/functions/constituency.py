"""SQL functions of constituency trees: kept words, splits, quartets, tree edit distances."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from treesql.functions.arrays import Ints, flat, integers, lists_of, plain
from treesql.functions.declared import Function

if TYPE_CHECKING:
    from treesql.kernels.skeletons import Skeletons
    from treesql.kernels.tree_edit import OrderedTrees

TREE = (
    "STRUCT(nodes INTEGER[], parents INTEGER[], words INTEGER[], phrases INTEGER[], forms UBIGINT[], kinds UTINYINT[])"
)
"""A tree, its phrases and words in any order: see packed_trees."""

LABELLED = (
    "STRUCT(nodes INTEGER[], parents INTEGER[], labels UBIGINT[], words INTEGER[], phrases INTEGER[], tags UBIGINT[], "
    "forms UBIGINT[], kinds UTINYINT[])"
)
"""A tree with labels: see labelled_trees."""

BY = ("order", "name", "common")
"""How leaves correspond, as kernels/leaves.py numbers it."""

SPLIT_COUNTS = ("gold", "test", "common", "gold_incompatible", "test_incompatible")
QUARTETS = ("quartets", "gold_butterflies", "test_butterflies", "same", "different", "both_star")


class Trees(NamedTuple):
    """A batch of TREE in order: offsets (trees + 1,) of the phrases and of the words, and their columns."""

    node_offsets: Ints
    parents: Ints
    word_offsets: Ints
    phrases: Ints
    forms: NDArray[np.uint64]
    kinds: NDArray[np.uint8]


def kept_before(left_out: pa.ChunkedArray, n_words: pa.ChunkedArray) -> pa.Array:
    """For every sentence the numbers of words kept among its first 0, 1, ... n."""
    items, offsets = flat(left_out)
    sizes = plain(n_words.combine_chunks(), np.int64) + 1
    positions = plain(items, np.int64)
    if (sizes < 1).any() or ((positions < 1) | (positions >= np.repeat(sizes, np.diff(offsets)))).any():
        raise ValueError("words left out must be among the words 1 to n of their sentence")
    starts = np.cumsum(sizes) - sizes
    steps = np.ones(int(sizes.sum()), dtype=np.int64)
    steps[starts] = 0
    steps[np.repeat(starts, np.diff(offsets)) + positions] = 0
    counts = np.cumsum(steps)
    counts -= np.repeat(counts[starts], sizes)
    return lists_of(integers(counts), np.append(starts, len(steps)))


def split_counts(
    gold: pa.ChunkedArray, test: pa.ChunkedArray, leaves: pa.ChunkedArray, rooting: pa.ChunkedArray
) -> pa.Array:
    """For every pair of trees how many clusters or splits they have, share, and have in conflict."""
    from treesql.kernels import splits

    unrooted = _constant(rooting, ("rooted", "unrooted")) == 1
    one, other, comparable = _skeletons_of_pairs(gold, test, leaves)
    found = splits.compare(one, other, unrooted)
    columns = [np.diff(one.leaf_offsets), *found]
    return _structs(("n_leaves", *SPLIT_COUNTS), columns, comparable)


def quartet_counts(gold: pa.ChunkedArray, test: pa.ChunkedArray, leaves: pa.ChunkedArray) -> pa.Array:
    """For every pair of trees how they resolve each four leaves; NULL below four leaves."""
    from treesql.kernels import quartets

    one, other, comparable = _skeletons_of_pairs(gold, test, leaves)
    found = quartets.quartets(one, other)
    return _structs(QUARTETS, list(found), comparable & (found.total >= 0))


def skeleton_edit_distance(gold: pa.ChunkedArray, test: pa.ChunkedArray, leaves: pa.ChunkedArray) -> pa.Array:
    """For every pair of trees the edit distance of their skeletons."""
    from treesql.kernels import tree_edit

    one, other, comparable = _skeletons_of_pairs(gold, test, leaves)
    found = tree_edit.tree_edit_distances(tree_edit.of_skeletons(one), tree_edit.of_skeletons(other))
    return pa.array(found.astype("i4"), mask=~comparable)


def constituent_tree_edit_distance(gold: pa.ChunkedArray, test: pa.ChunkedArray) -> pa.Array:
    """For every pair of trees the edit distance with labels, tags and words."""
    from treesql.kernels import tree_edit

    found = tree_edit.tree_edit_distances(_ordered_trees(gold), _ordered_trees(test))
    return pa.array(found.astype("i4"), mask=_missing(gold) | _missing(test))


def split_keys(trees: pa.ChunkedArray, rooting: pa.ChunkedArray) -> pa.Array:
    """For every tree a key for each of its clusters or splits, and one for the set of its leaves."""
    from treesql.kernels import leaves, skeletons, splits

    unrooted = _constant(rooting, ("rooted", "unrooted")) == 1
    batch = _trees(trees)
    kept = batch.kinds == leaves.WORD
    whole = skeletons.from_phrases(
        batch.parents, batch.node_offsets, batch.phrases, batch.word_offsets, np.where(kept, np.arange(len(kept)), -1)
    )
    found = splits.keyed_by_names(whole, batch.forms, unrooted)
    keys = lists_of(pa.array(found.keys), found.offsets)
    missing = _missing(trees) | ~found.distinct
    return pa.StructArray.from_arrays(
        [pa.array(found.leaves), keys], names=["leaf_key", "keys"], mask=pa.array(missing)
    )


def _skeletons_of_pairs(
    gold: pa.ChunkedArray, test: pa.ChunkedArray, by: pa.ChunkedArray
) -> tuple[Skeletons, Skeletons, NDArray[np.bool_]]:
    """The skeletons of both sides, leaves numbered alike; those that cannot be compared are empty."""
    from treesql.kernels import leaves, skeletons

    one, other = _trees(gold), _trees(test)
    found = leaves.numbered(
        leaves.Leaves(one.word_offsets, one.forms, one.kinds),
        leaves.Leaves(other.word_offsets, other.forms, other.kinds),
        _constant(by, BY),
    )
    made = [
        skeletons.from_phrases(side.parents, side.node_offsets, side.phrases, side.word_offsets, numbers)
        for side, numbers in ((one, found.gold), (other, found.test))
    ]
    return made[0], made[1], found.comparable & ~_missing(gold) & ~_missing(test)


def _trees(column: pa.ChunkedArray) -> Trees:
    lists = _fields(column)
    node_offsets, nodes, (parents,) = _in_order(lists, "nodes", ["parents"])
    word_offsets, words, (phrases, forms, kinds) = _in_order(lists, "words", ["phrases", "forms", "kinds"])
    return Trees(
        node_offsets,
        plain(parents, np.int64)[nodes],
        word_offsets,
        plain(phrases, np.int64)[words],
        plain(forms, np.uint64)[words],
        plain(kinds, np.uint8)[words],
    )


def _ordered_trees(column: pa.ChunkedArray) -> OrderedTrees:
    """All phrases, tags and words as nodes of ordered trees, without traces."""
    from treesql.kernels import leaves, tree_edit

    lists = _fields(column)
    node_offsets, nodes, (parents, labels) = _in_order(lists, "nodes", ["parents", "labels"])
    word_offsets, words, (phrases, tags, forms, kinds) = _in_order(
        lists, "words", ["phrases", "tags", "forms", "kinds"]
    )
    return tree_edit.of_parses(
        node_offsets,
        plain(parents, np.int64)[nodes],
        plain(labels, np.uint64)[nodes].view(np.int64),
        word_offsets,
        plain(phrases, np.int64)[words],
        plain(tags, np.uint64)[words].view(np.int64),
        plain(forms, np.uint64)[words].view(np.int64),
        plain(kinds, np.uint8)[words] != leaves.TRACE,
    )


def _fields(column: pa.ChunkedArray) -> Callable[[str], tuple[pa.Array, Ints]]:
    whole = column.combine_chunks()
    return lambda name: flat(whole.field(name))


def _in_order(
    lists: Callable[[str], tuple[pa.Array, Ints]], key: str, others: list[str]
) -> tuple[Ints, Ints, list[pa.Array]]:
    """Where lists begin and end; where the items numbered 1, 2, ... in `key` stand; the items of the other lists.

    ValueError: numbers that are not 1..n, or lists of different lengths.
    """
    items, offsets = lists(key)
    numbers = plain(items, np.int64)
    sizes = np.diff(offsets)
    places = np.repeat(offsets[:-1], sizes) + numbers - 1
    order = np.full(len(numbers), -1, dtype=np.int64)
    inside = (numbers >= 1) & (numbers <= np.repeat(sizes, sizes))
    order[places[inside]] = np.flatnonzero(inside)
    found = [lists(name) for name in others]
    if (order < 0).any() or any(not np.array_equal(one, offsets) for _, one in found):
        raise ValueError(f"{key} must be the numbers 1, 2, ... of a tree, each once, with as many {', '.join(others)}")
    return offsets, order, [items for items, _ in found]


def _constant(column: pa.ChunkedArray, choices: tuple[str, ...]) -> int:
    """The number of the one choice that a column holds in all rows. ValueError: another value, or several."""
    values = column.unique().to_pylist()
    if len(values) != 1 or values[0] not in choices:
        raise ValueError(f"this argument must be the same in all rows, one of {', '.join(choices)}; found {values}")
    return choices.index(values[0])


def _missing(column: pa.ChunkedArray) -> NDArray[np.bool_]:
    return np.asarray(column.combine_chunks().is_null().to_numpy(zero_copy_only=False))


def _structs(names: tuple[str, ...], columns: list[Any], valid: NDArray[np.bool_]) -> pa.Array:
    arrays = [pa.array(column.astype("i8")) for column in columns]
    return pa.StructArray.from_arrays(arrays, names=list(names), mask=pa.array(~valid))


def _struct(names: tuple[str, ...]) -> str:
    return f"STRUCT({', '.join(f'{name} BIGINT' for name in names)})"


FUNCTIONS = (
    Function(
        "kept_before",
        "for the positions of words left out of a sentence of so many words, how many of its first 0, 1, ... are kept",
        (("left_out", "INTEGER[]"), ("n_words", "INTEGER")),
        "INTEGER[]",
        kept_before,
    ),
    Function(
        "split_counts",
        "how many clusters (`rooted`) or splits (`unrooted`) two trees have, share, and have in conflict; leaves "
        "correspond by `order`, by `name`, or by name only those that are `common` to both; NULL where they differ",
        (("gold", TREE), ("test", TREE), ("leaves", "VARCHAR"), ("rooting", "VARCHAR")),
        _struct(("n_leaves", *SPLIT_COUNTS)),
        split_counts,
        gives_nulls=True,
    ),
    Function(
        "quartet_counts",
        "how two trees resolve each four leaves; NULL where leaves differ and where there are fewer than four",
        (("gold", TREE), ("test", TREE), ("leaves", "VARCHAR")),
        _struct(QUARTETS),
        quartet_counts,
        gives_nulls=True,
    ),
    Function(
        "split_keys",
        "a key of 64 bits for every cluster or split of a tree, made from the names of its leaves in whatever order, "
        "and one for all of its leaves; NULL where two leaves have one name",
        (("tree", TREE), ("rooting", "VARCHAR")),
        "STRUCT(leaf_key UBIGINT, keys UBIGINT[])",
        split_keys,
        gives_nulls=True,
    ),
    Function(
        "constituent_tree_edit_distance",
        "the fewest phrases, tags and words to insert, delete or rename to make one ordered labelled tree of another",
        (("gold", LABELLED), ("test", LABELLED)),
        "INTEGER",
        constituent_tree_edit_distance,
        gives_nulls=True,
    ),
    Function(
        "skeleton_edit_distance",
        "the same for trees without labels and unary nodes; NULL where leaves differ",
        (("gold", TREE), ("test", TREE), ("leaves", "VARCHAR")),
        "INTEGER",
        skeleton_edit_distance,
        gives_nulls=True,
    ),
)
