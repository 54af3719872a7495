"""SQL functions of constituency trees: splits, quartets, tree edit distances."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from treesql.functions.arrays import (
    check_cells,
    check_lengths,
    check_tree,
    constant_choice,
    explain_faults,
    fields_of_struct,
    flatten,
    integer_array,
    list_array,
    to_arrow,
    to_numpy,
)
from treesql.functions.function import ROWS_OF_SLOW_CALLS, Function
from treesql.kernels.arrays import Bytes, Flags, Ints, Keys
from treesql.runtime.arrays import call, cast

if TYPE_CHECKING:
    from treesql.kernels.trees.skeletons import LeafNumbers, Skeletons
    from treesql.kernels.trees.splits import LabelledTrees
    from treesql.kernels.trees.tree_edit import OrderedTrees

TREE = "STRUCT(parents INTEGER[], phrases INTEGER[], forms UBIGINT[], kinds UTINYINT[])"
"""A tree: see packed_trees."""

LABELLED = (
    "STRUCT(parents INTEGER[], labels UBIGINT[], phrases INTEGER[], tags UBIGINT[], forms UBIGINT[], kinds UTINYINT[])"
)
"""A tree with labels: see labelled_trees."""

CORRESPONDENCES = ("order", "name", "common")
"""How leaves correspond, as kernels/trees/skeletons.py numbers it."""

SPLIT_COUNTS = ("gold", "test", "common", "gold_incompatible", "test_incompatible")
LABELLED_COUNTS = ("gold", "test", "common", "relabelled")
QUARTETS = ("quartets", "gold_butterflies", "test_butterflies", "same", "different", "both_star")


class PackedTrees(NamedTuple):
    """A batch of TREE: offsets (trees + 1,) of the phrases and of the words, and their columns."""

    node_offsets: Ints
    parents: Ints
    word_offsets: Ints
    phrases: Ints
    forms: Keys
    kinds: Bytes


def text_key(texts: pa.ChunkedArray) -> pa.Array:
    """A key of 64 bits for every text."""
    return to_arrow(_keys(texts.combine_chunks()))


def split_counts(
    gold: pa.ChunkedArray, test: pa.ChunkedArray, leaves: pa.ChunkedArray, rooting: pa.ChunkedArray
) -> pa.Array:
    """For every pair of trees how many clusters or splits they have, share, and have in conflict."""
    from treesql.kernels.trees import splits

    unrooted = constant_choice(rooting, ("rooted", "unrooted")) == 1
    gold_skeletons, test_skeletons, comparable = _skeletons_of_pairs(gold, test, leaves)
    counts = splits.compare_splits(gold_skeletons, test_skeletons, unrooted)
    columns = [np.diff(gold_skeletons.leaf_offsets), *counts]
    return _structs(("n_leaves", *SPLIT_COUNTS), columns, comparable)


def labelled_cluster_counts(
    gold: pa.ChunkedArray,
    test: pa.ChunkedArray,
    gold_labels: pa.ChunkedArray,
    test_labels: pa.ChunkedArray,
    leaves: pa.ChunkedArray,
) -> pa.Array:
    """For every pair of trees how many clusters they have, share, and share with another label."""
    from treesql.kernels.trees import splits

    gold_trees, test_trees = _trees(gold), _trees(test)
    numbered = _number_leaves(gold_trees, test_trees, leaves)
    gold_side = _labelled_trees(gold_trees, gold_labels, numbered.gold)
    counts = splits.compare_labelled_clusters(gold_side, _labelled_trees(test_trees, test_labels, numbered.test))
    n_leaves = np.add.reduceat(np.append(numbered.gold >= 0, False), gold_trees.word_offsets[:-1], dtype=np.int64)
    n_leaves[np.diff(gold_trees.word_offsets) == 0] = 0
    comparable = numbered.comparable & ~_missing(gold) & ~_missing(test)
    return _structs(("n_leaves", *LABELLED_COUNTS), [n_leaves, *counts], comparable)


def _labelled_trees(trees: PackedTrees, labels: pa.ChunkedArray, numbers: Ints) -> LabelledTrees:
    """The trees of one side. numbers: of their leaves. Raises InvalidRow."""
    from treesql.kernels.trees.splits import LabelledTrees

    keys, offsets = flatten(labels)
    check_lengths("every phrase of a tree has a label", trees.node_offsets, offsets)
    check_tree(trees.parents, trees.node_offsets, trees.phrases, trees.word_offsets)
    label_keys = to_numpy(keys, np.uint64)
    return LabelledTrees(trees.node_offsets, trees.parents, label_keys, trees.word_offsets, trees.phrases, numbers)


def quartet_counts(gold: pa.ChunkedArray, test: pa.ChunkedArray, leaves: pa.ChunkedArray) -> pa.Array:
    """For every pair of trees how they resolve each four leaves; NULL where there are fewer than four, or too many."""
    from treesql.kernels.trees import quartets

    gold_skeletons, test_skeletons, comparable = _skeletons_of_pairs(gold, test, leaves)
    counts = quartets.count_quartets(gold_skeletons, test_skeletons)
    return _structs(QUARTETS, list(counts), comparable & (counts.total >= 0))


def skeleton_edit_distance(gold: pa.ChunkedArray, test: pa.ChunkedArray, leaves: pa.ChunkedArray) -> pa.Array:
    """For every pair of trees the edit distance of their skeletons."""
    from treesql.kernels.trees.tree_edit import from_skeletons

    gold_skeletons, test_skeletons, comparable = _skeletons_of_pairs(gold, test, leaves)
    distances = _edit_distances(from_skeletons(gold_skeletons), from_skeletons(test_skeletons))
    return integer_array(distances, ~comparable)


def constituent_tree_edit_distance(gold: pa.ChunkedArray, test: pa.ChunkedArray) -> pa.Array:
    """For every pair of trees the edit distance with labels, tags and words."""
    distances = _edit_distances(_ordered_trees(gold), _ordered_trees(test))
    return integer_array(distances, _missing(gold) | _missing(test))


def constituent_tree_nodes(trees: pa.ChunkedArray) -> pa.Array:
    """For every tree the number of nodes that `constituent_tree_edit_distance` compares."""
    return integer_array(np.diff(_ordered_trees(trees).offsets), _missing(trees))


def _edit_distances(gold: OrderedTrees, test: OrderedTrees) -> Ints:
    from treesql.kernels.trees import tree_edit

    check_cells("nodes", np.diff(gold.offsets) + 1, np.diff(test.offsets) + 1)
    return tree_edit.tree_edit_distances(gold, test)


def split_keys(trees: pa.ChunkedArray, rooting: pa.ChunkedArray) -> pa.Array:
    """For every tree a key for each of its clusters or splits, and one for the set of its leaves."""
    from treesql.kernels.trees import skeletons, splits

    unrooted = constant_choice(rooting, ("rooted", "unrooted")) == 1
    batch = _trees(trees)
    kept = batch.kinds == skeletons.WORD
    whole = _skeletons(batch, np.where(kept, np.arange(len(kept)), -1))
    key_sets = splits.split_keys_by_names(whole, batch.forms, unrooted)
    keys = list_array(to_arrow(key_sets.keys), key_sets.offsets)
    missing = _missing(trees) | ~key_sets.distinct
    return pa.StructArray.from_arrays(
        [to_arrow(key_sets.leaves), keys], names=["leaf_key", "keys"], mask=to_arrow(missing)
    )


def _skeletons_of_pairs(
    gold: pa.ChunkedArray, test: pa.ChunkedArray, by: pa.ChunkedArray
) -> tuple[Skeletons, Skeletons, Flags]:
    """The skeletons of both sides, leaves numbered alike; those that cannot be compared are empty."""
    gold_trees, test_trees = _trees(gold), _trees(test)
    numbered = _number_leaves(gold_trees, test_trees, by)
    return (
        _skeletons(gold_trees, numbered.gold),
        _skeletons(test_trees, numbered.test),
        numbered.comparable & ~_missing(gold) & ~_missing(test),
    )


def _number_leaves(gold: PackedTrees, test: PackedTrees, by: pa.ChunkedArray) -> LeafNumbers:
    """The leaves of both sides, numbered alike."""
    from treesql.kernels.trees import skeletons

    return skeletons.number_leaves(
        skeletons.Leaves(gold.word_offsets, gold.forms, gold.kinds),
        skeletons.Leaves(test.word_offsets, test.forms, test.kinds),
        constant_choice(by, CORRESPONDENCES),
    )


def _skeletons(trees: PackedTrees, numbers: Ints) -> Skeletons:
    """Skeletons of trees whose leaves have these numbers."""
    from treesql.kernels.trees import skeletons

    node_offsets, parents, word_offsets, phrases, *_ = trees
    with explain_faults(partial(check_tree, parents, node_offsets, phrases, word_offsets)):
        return skeletons.from_phrases(parents, node_offsets, phrases, word_offsets, numbers)


def _trees(column: pa.ChunkedArray) -> PackedTrees:
    node_offsets, (parents,) = fields_of_struct(column, "parents")
    word_offsets, (phrases, forms, kinds) = fields_of_struct(column, "phrases", "forms", "kinds")
    return PackedTrees(
        node_offsets,
        to_numpy(parents, np.int64),
        word_offsets,
        to_numpy(phrases, np.int64),
        to_numpy(forms, np.uint64),
        to_numpy(kinds, np.uint8),
    )


def _ordered_trees(column: pa.ChunkedArray) -> OrderedTrees:
    """All phrases, tags and words as nodes of ordered trees, without traces."""
    from treesql.kernels.trees import skeletons, tree_edit

    node_offsets, (parents, labels) = fields_of_struct(column, "parents", "labels")
    word_offsets, (phrases, tags, forms, kinds) = fields_of_struct(column, "phrases", "tags", "forms", "kinds")
    above, below = to_numpy(parents, np.int64), to_numpy(phrases, np.int64)
    with explain_faults(partial(check_tree, above, node_offsets, below, word_offsets)):
        return tree_edit.from_parses(
            node_offsets,
            above,
            to_numpy(labels, np.uint64).view(np.int64),
            word_offsets,
            below,
            to_numpy(tags, np.uint64).view(np.int64),
            to_numpy(forms, np.uint64).view(np.int64),
            to_numpy(kinds, np.uint8) != skeletons.TRACE,
        )


def _keys(texts: pa.Array) -> Keys:
    from treesql.kernels import keys

    if pa.types.is_string_view(texts.type):
        texts = cast(texts, pa.large_string())
    width = np.int64 if pa.types.is_large_string(texts.type) else np.int32
    offsets = np.frombuffer(texts.buffers()[1], width)[texts.offset : texts.offset + len(texts) + 1].astype(np.int64)
    data = texts.buffers()[2]
    text = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
    return keys.hash_pieces(text, offsets[:-1], np.diff(offsets))


def _missing(column: pa.ChunkedArray) -> Flags:
    if not column.null_count:
        return np.zeros(len(column), dtype=np.bool_)
    return np.asarray(call("is_null", column).to_numpy())


def _structs(names: tuple[str, ...], columns: list[Any], valid: Flags) -> pa.Array:
    arrays = [to_arrow(column.astype("i8")) for column in columns]
    mask = None if valid.all() else to_arrow(~valid)  # with which Arrow imports pyarrow.compute
    return pa.StructArray.from_arrays(arrays, names=list(names), mask=mask)


def _struct(names: tuple[str, ...]) -> str:
    return f"STRUCT({', '.join(f'{name} BIGINT' for name in names)})"


_TREE = "{parents: [0, 1], phrases: [2, 2, 1, 1], forms: [1, 2, 3, 4], kinds: [0, 0, 0, 0]}"
_OTHER = "{parents: [0, 1], phrases: [1, 2, 2, 1], forms: [1, 2, 3, 4], kinds: [0, 0, 0, 0]}"
_REORDERED = "{parents: [0, 1], phrases: [1, 2, 2, 1], forms: [1, 4, 2, 3], kinds: [0, 0, 0, 0]}"
_LABELLED_TREE = (
    "{parents: [0, 1], labels: [1, 2], phrases: [2, 2, 1], tags: [3, 4, 5], forms: [6, 7, 8], kinds: [0, 0, 0]}"
)

FUNCTIONS = (
    Function(
        "text_key",
        "a key of 64 bits for a text (FNV-1a): equal texts have equal keys",
        (("text", "VARCHAR"),),
        "UBIGINT",
        text_key,
        (("'a'",),),
    ),
    Function(
        "split_counts",
        "the numbers of clusters (`rooting` is `rooted`) or splits (`unrooted`) that two trees have, share, and have "
        "in conflict. Leaves correspond by `order`, by `name`, or by name only those that are `common` to both; the "
        "result is NULL where they differ",
        (("gold", TREE), ("test", TREE), ("leaves", "VARCHAR"), ("rooting", "VARCHAR")),
        _struct(("n_leaves", *SPLIT_COUNTS)),
        split_counts,
        ((_TREE, _OTHER, "'order'", "'rooted'"), (_TREE, _REORDERED, "'name'", "'unrooted'")),
        gives_nulls=True,
        shared=True,
    ),
    Function(
        "labelled_cluster_counts",
        "the numbers of clusters that two trees have, share, and share with another label; keys of the labels of their "
        "phrases are lists of their own. Phrases over the same leaves are one cluster, their labels one. Leaves as for "
        "`split_counts`, NULL where they differ",
        (
            ("gold", TREE),
            ("test", TREE),
            ("gold_keys", "UBIGINT[]"),
            ("test_keys", "UBIGINT[]"),
            ("leaves", "VARCHAR"),
        ),
        _struct(("n_leaves", *LABELLED_COUNTS)),
        labelled_cluster_counts,
        ((_TREE, _OTHER, "[1, 2]", "[1, 3]", "'order'"), (_TREE, _REORDERED, "[1, 2]", "[1, 2]", "'name'")),
        gives_nulls=True,
        shared=True,
    ),
    Function(
        "quartet_counts",
        "how two trees resolve every set of four leaves; leaves as for `split_counts`, NULL where they differ or are "
        "fewer than four, or more than 50,000, or in another order below nodes of very many children",
        (("gold", TREE), ("test", TREE), ("leaves", "VARCHAR")),
        _struct(QUARTETS),
        quartet_counts,
        ((_TREE, _OTHER, "'order'"), (_TREE, _REORDERED, "'name'")),
        gives_nulls=True,
        rows=ROWS_OF_SLOW_CALLS,
    ),
    Function(
        "split_keys",
        "a key of 64 bits for every cluster (`rooting` is `rooted`) or split (`unrooted`) of a tree, from the names "
        "of its leaves in any order, and one for all leaves; NULL where two leaves have one name",
        (("tree", TREE), ("rooting", "VARCHAR")),
        "STRUCT(leaf_key UBIGINT, keys UBIGINT[])",
        split_keys,
        ((_TREE, "'rooted'"),),
        gives_nulls=True,
        shared=True,
    ),
    Function(
        "constituent_tree_edit_distance",
        "the minimum number of insertions, deletions and renamings of phrases, tags and words that turn one tree into "
        "the other",
        (("gold", LABELLED), ("test", LABELLED)),
        "INTEGER",
        constituent_tree_edit_distance,
        ((_LABELLED_TREE, _LABELLED_TREE),),
        gives_nulls=True,
        rows=ROWS_OF_SLOW_CALLS,
    ),
    Function(
        "constituent_tree_nodes",
        "the number of phrases, tags and words of a tree that `constituent_tree_edit_distance` compares",
        (("tree", LABELLED),),
        "INTEGER",
        constituent_tree_nodes,
        ((_LABELLED_TREE,),),
    ),
    Function(
        "skeleton_edit_distance",
        "the minimum number of insertions, deletions and renamings of phrases and leaves that turn one tree into the "
        "other, without labels and unary nodes; leaves as for `split_counts`, NULL where they differ",
        (("gold", TREE), ("test", TREE), ("leaves", "VARCHAR")),
        "INTEGER",
        skeleton_edit_distance,
        ((_TREE, _OTHER, "'order'"), (_TREE, _REORDERED, "'name'")),
        gives_nulls=True,
        rows=ROWS_OF_SLOW_CALLS,
    ),
)
