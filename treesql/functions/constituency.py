"""SQL functions of constituency trees: brackets, splits, quartets, tree edit distances."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from treesql.functions.arrays import flatten, integer_array, list_array, to_arrow, to_numpy
from treesql.functions.checks import check_cells, check_lengths, check_range, check_tree, explain_faults
from treesql.functions.function import ROWS_OF_SLOW_CALLS, Function
from treesql.kernels.arrays import Bytes, Flags, Ints, Keys

if TYPE_CHECKING:
    from treesql.kernels.ordered_trees import OrderedTrees
    from treesql.kernels.parseval import ParsedTrees
    from treesql.kernels.skeletons import Skeletons

TREE = "STRUCT(parents INTEGER[], phrases INTEGER[], forms UBIGINT[], kinds UTINYINT[])"
"""A tree: see packed_trees."""

LABELLED = (
    "STRUCT(parents INTEGER[], labels UBIGINT[], phrases INTEGER[], tags UBIGINT[], forms UBIGINT[], kinds UTINYINT[])"
)
"""A tree with labels: see labelled_trees."""

PARSE = "STRUCT(parents INTEGER[], labels INTEGER[], phrases INTEGER[], tags INTEGER[], forms UBIGINT[])"
"""A tree with numbered labels, as the table constituent_lists has it."""

LABELS = "STRUCT(classes INTEGER[], kinds UTINYINT[])"
"""Classes and kinds of the labels of a corpus, by their numbers: see label_lists."""

CLASSES = "STRUCT(members UBIGINT[], representatives UBIGINT[])"
"""Classes of words: their members, and the word that replaces each."""

QUOTES = b"'\"/"
"""The words whose tags EVALB takes for mistaken (QUOTE_LABEL)."""

CORRESPONDENCES = ("order", "name", "common")
"""How leaves correspond, as kernels/leaves.py numbers it."""

COUNTS = ("length", "outcome", "matched", "gold", "test", "crossing", "tags", "correct_tags")
BRACKET = ("label", "first", "last", "gold", "test", "crossing")
SPLIT_COUNTS = ("gold", "test", "common", "gold_incompatible", "test_incompatible")
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


def compared_brackets(
    gold: pa.ChunkedArray,
    test: pa.ChunkedArray,
    gold_labels: pa.ChunkedArray,
    test_labels: pa.ChunkedArray,
    words: pa.ChunkedArray,
    labelled: pa.ChunkedArray,
) -> pa.Array:
    """EVALB's counts for every pair of trees, and their brackets."""
    from treesql.kernels import keys, parseval

    members, representatives = _constant_lists(words, members=np.uint64, representatives=np.uint64)
    if len(members) != len(representatives):
        raise ValueError(f"{len(members)} members of classes of words have {len(representatives)} representatives")
    gold_known, test_known = (
        parseval.LabelClasses(*_constant_lists(side, classes=np.int32, kinds=np.uint8))
        for side in (gold_labels, test_labels)
    )
    for known in (gold_known, test_known):
        if len(known.classes) != len(known.kinds):
            raise ValueError(f"{len(known.classes)} classes of labels have {len(known.kinds)} kinds")
    one, other = (_parses(side, members, representatives) for side in (gold, test))
    quotes = keys.hash_pieces(np.frombuffer(QUOTES, np.uint8), np.arange(len(QUOTES)), np.ones(len(QUOTES), np.int64))
    by_label = _constant_choice(labelled, (False, True)) == 1
    with explain_faults(
        partial(_check_parses, one, len(gold_known.kinds)), partial(_check_parses, other, len(test_known.kinds))
    ):
        found = parseval.compare_brackets(one, other, gold_known, test_known, quotes, by_label)
    columns = [integer_array(column) for column in (found.labels, *found.spans.T, *found.numbers.T)]
    brackets = list_array(pa.StructArray.from_arrays(columns, names=list(BRACKET)), found.offsets)
    counts = [to_arrow(column) for column in found.counts.T]
    return pa.StructArray.from_arrays([*counts, brackets], names=[*COUNTS, "brackets"])


def split_counts(
    gold: pa.ChunkedArray, test: pa.ChunkedArray, leaves: pa.ChunkedArray, rooting: pa.ChunkedArray
) -> pa.Array:
    """For every pair of trees how many clusters or splits they have, share, and have in conflict."""
    from treesql.kernels import splits

    unrooted = _constant_choice(rooting, ("rooted", "unrooted")) == 1
    one, other, comparable = _skeletons_of_pairs(gold, test, leaves)
    found = splits.compare_splits(one, other, unrooted)
    columns = [np.diff(one.leaf_offsets), *found]
    return _structs(("n_leaves", *SPLIT_COUNTS), columns, comparable)


def quartet_counts(gold: pa.ChunkedArray, test: pa.ChunkedArray, leaves: pa.ChunkedArray) -> pa.Array:
    """For every pair of trees how they resolve each four leaves; NULL where there are fewer than four, or too many."""
    from treesql.kernels import quartets

    one, other, comparable = _skeletons_of_pairs(gold, test, leaves)
    found = quartets.count_quartets(one, other)
    return _structs(QUARTETS, list(found), comparable & (found.total >= 0))


def skeleton_edit_distance(gold: pa.ChunkedArray, test: pa.ChunkedArray, leaves: pa.ChunkedArray) -> pa.Array:
    """For every pair of trees the edit distance of their skeletons."""
    from treesql.kernels.ordered_trees import from_skeletons

    one, other, comparable = _skeletons_of_pairs(gold, test, leaves)
    found = _edit_distances(from_skeletons(one), from_skeletons(other))
    return pa.array(found.astype("i4"), mask=~comparable)


def constituent_tree_edit_distance(gold: pa.ChunkedArray, test: pa.ChunkedArray) -> pa.Array:
    """For every pair of trees the edit distance with labels, tags and words."""
    found = _edit_distances(_ordered_trees(gold), _ordered_trees(test))
    return pa.array(found.astype("i4"), mask=_missing(gold) | _missing(test))


def _edit_distances(one: OrderedTrees, other: OrderedTrees) -> Ints:
    from treesql.kernels import tree_edit

    check_cells("nodes", np.diff(one.offsets) + 1, np.diff(other.offsets) + 1)
    return tree_edit.tree_edit_distances(one, other)


def split_keys(trees: pa.ChunkedArray, rooting: pa.ChunkedArray) -> pa.Array:
    """For every tree a key for each of its clusters or splits, and one for the set of its leaves."""
    from treesql.kernels import leaves, splits

    unrooted = _constant_choice(rooting, ("rooted", "unrooted")) == 1
    batch = _trees(trees)
    kept = batch.kinds == leaves.WORD
    whole = _skeletons(batch, np.where(kept, np.arange(len(kept)), -1))
    found = splits.split_keys_by_names(whole, batch.forms, unrooted)
    keys = list_array(pa.array(found.keys), found.offsets)
    missing = _missing(trees) | ~found.distinct
    return pa.StructArray.from_arrays(
        [pa.array(found.leaves), keys], names=["leaf_key", "keys"], mask=pa.array(missing)
    )


def _skeletons_of_pairs(
    gold: pa.ChunkedArray, test: pa.ChunkedArray, by: pa.ChunkedArray
) -> tuple[Skeletons, Skeletons, Flags]:
    """The skeletons of both sides, leaves numbered alike; those that cannot be compared are empty."""
    from treesql.kernels import leaves

    one, other = _trees(gold), _trees(test)
    found = leaves.number_leaves(
        leaves.Leaves(one.word_offsets, one.forms, one.kinds),
        leaves.Leaves(other.word_offsets, other.forms, other.kinds),
        _constant_choice(by, CORRESPONDENCES),
    )
    return (
        _skeletons(one, found.gold),
        _skeletons(other, found.test),
        found.comparable & ~_missing(gold) & ~_missing(test),
    )


def _skeletons(trees: PackedTrees, numbers: Ints) -> Skeletons:
    """Skeletons of trees whose leaves have these numbers."""
    from treesql.kernels import skeletons

    node_offsets, parents, word_offsets, phrases, *_ = trees
    with explain_faults(partial(check_tree, parents, node_offsets, phrases, word_offsets)):
        return skeletons.from_phrases(parents, node_offsets, phrases, word_offsets, numbers)


def _trees(column: pa.ChunkedArray) -> PackedTrees:
    node_offsets, (parents,) = _fields_of_struct(column, "parents")
    word_offsets, (phrases, forms, kinds) = _fields_of_struct(column, "phrases", "forms", "kinds")
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
    from treesql.kernels import leaves, ordered_trees

    node_offsets, (parents, labels) = _fields_of_struct(column, "parents", "labels")
    word_offsets, (phrases, tags, forms, kinds) = _fields_of_struct(column, "phrases", "tags", "forms", "kinds")
    above, below = to_numpy(parents, np.int64), to_numpy(phrases, np.int64)
    with explain_faults(partial(check_tree, above, node_offsets, below, word_offsets)):
        return ordered_trees.from_parses(
            node_offsets,
            above,
            to_numpy(labels, np.uint64).view(np.int64),
            word_offsets,
            below,
            to_numpy(tags, np.uint64).view(np.int64),
            to_numpy(forms, np.uint64).view(np.int64),
            to_numpy(kinds, np.uint8) != leaves.TRACE,
        )


def _parses(column: pa.ChunkedArray, members: Keys, representatives: Keys) -> ParsedTrees:
    """The trees of one side, words of classes replaced."""
    from treesql.kernels import parseval

    node_offsets, (parents, labels) = _fields_of_struct(column, "parents", "labels")
    word_offsets, (phrases, tags, words) = _fields_of_struct(column, "phrases", "tags", "forms")
    forms = to_numpy(words, np.uint64)
    if len(members):
        order = np.argsort(members)
        place = np.minimum(np.searchsorted(members, forms, sorter=order), len(members) - 1)
        found = order[place]
        forms = np.where(members[found] == forms, representatives[found], forms)
    return parseval.ParsedTrees(
        node_offsets, to_numpy(parents, np.int32), to_numpy(labels, np.int32),
        word_offsets, to_numpy(phrases, np.int32), to_numpy(tags, np.int32), forms,
    )  # fmt: skip


def _check_parses(side: ParsedTrees, n_labels: int) -> None:
    """n_labels: how many numbers labels and tags have."""
    check_tree(side.parents, side.node_offsets, side.phrases, side.word_offsets)
    what = "labels and tags of a tree must be numbers of labels"
    check_range(what, side.labels, 1, n_labels, side.node_offsets)
    check_range(what, side.tags, 1, n_labels, side.word_offsets)


def _keys(texts: pa.Array) -> Keys:
    from treesql.kernels import keys

    if pa.types.is_string_view(texts.type):
        texts = texts.cast(pa.large_string())
    width = np.int64 if pa.types.is_large_string(texts.type) else np.int32
    offsets = np.frombuffer(texts.buffers()[1], width)[texts.offset : texts.offset + len(texts) + 1].astype(np.int64)
    data = texts.buffers()[2]
    text = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
    return keys.hash_pieces(text, offsets[:-1], np.diff(offsets))


def _fields_of_struct(column: pa.ChunkedArray, *names: str) -> tuple[Ints, list[pa.Array]]:
    """Where the lists of some fields of a struct begin and end, and the items of each field.

    ValueError: lists of different lengths in one row.
    """
    whole = _whole(column)
    found = [flatten(whole.field(name)) for name in names]
    check_lengths(f"{', '.join(names)} of a tree must be lists of one length", *(offsets for _, offsets in found))
    return found[0][1], [items for items, _ in found]


def _constant_lists(column: pa.ChunkedArray, **kinds: Any) -> list[NDArray[Any]]:
    """The lists of a struct that is the same in all rows, by the names of its fields. ValueError: it is not."""
    whole, found = _whole(column), []
    for name, kind in kinds.items():
        items, offsets = flatten(whole.field(name))
        values = to_numpy(items, kind)
        one = values[: offsets[1]] if len(whole) else values
        if len(values) != len(one) * len(whole) or (values.reshape(len(whole), -1) != one).any():
            raise ValueError("labels and classes of words must be the same for all trees")
        found.append(one)
    return found


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _constant_choice(column: pa.ChunkedArray, choices: tuple[str | bool, ...]) -> int:
    """The number of the choice that is the value of all rows. ValueError: another value, or several."""
    values = column.unique().to_pylist()
    if len(values) != 1 or values[0] not in choices:
        raise ValueError(
            f"this argument must be the same in all rows, one of {', '.join(map(str, choices))}; found {values}"
        )
    return choices.index(values[0])


def _missing(column: pa.ChunkedArray) -> Flags:
    if not column.null_count:
        return np.zeros(len(column), dtype=np.bool_)
    return np.asarray(column.is_null().to_numpy())


def _structs(names: tuple[str, ...], columns: list[Any], valid: Flags) -> pa.Array:
    arrays = [to_arrow(column.astype("i8")) for column in columns]
    return pa.StructArray.from_arrays(arrays, names=list(names), mask=pa.array(~valid))


def _struct(names: tuple[str, ...]) -> str:
    return f"STRUCT({', '.join(f'{name} BIGINT' for name in names)})"


FUNCTIONS = (
    Function(
        "text_key",
        "a key of 64 bits for a text (FNV-1a): equal texts have equal keys",
        (("text", "VARCHAR"),),
        "UBIGINT",
        text_key,
    ),
    Function(
        "compared_brackets",
        "what EVALB counts of two trees. `brackets` has every distinct bracket, after one of zeros for the sentence, "
        "with how often the gold tree and the test tree have it and how often it crosses gold brackets in the test "
        "tree; the other fields are sums. `outcome` is 0, 1 where the words that are compared differ, 2 where the "
        "test tree has none. `gold_labels`, `test_labels`, `words` and `labelled` must be the same in all rows; a "
        "tree that is NULL counts as empty",
        (
            ("gold", PARSE),
            ("test", PARSE),
            ("gold_labels", LABELS),
            ("test_labels", LABELS),
            ("words", CLASSES),
            ("labelled", "BOOLEAN"),
        ),
        f"STRUCT({', '.join(f'{name} BIGINT' for name in COUNTS)}, brackets STRUCT("
        f"{', '.join(f'{name} INTEGER' for name in BRACKET)})[])",
        compared_brackets,
        gives_nulls=True,
        shared=True,
    ),
    Function(
        "split_counts",
        "the numbers of clusters (`rooting` is `rooted`) or splits (`unrooted`) that two trees have, share, and have "
        "in conflict. Leaves correspond by `order`, by `name`, or by name only those that are `common` to both; the "
        "result is NULL where they differ",
        (("gold", TREE), ("test", TREE), ("leaves", "VARCHAR"), ("rooting", "VARCHAR")),
        _struct(("n_leaves", *SPLIT_COUNTS)),
        split_counts,
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
        gives_nulls=True,
        rows=ROWS_OF_SLOW_CALLS,
    ),
    Function(
        "skeleton_edit_distance",
        "the minimum number of insertions, deletions and renamings of phrases and leaves that turn one tree into the "
        "other, without labels and unary nodes; leaves as for `split_counts`, NULL where they differ",
        (("gold", TREE), ("test", TREE), ("leaves", "VARCHAR")),
        "INTEGER",
        skeleton_edit_distance,
        gives_nulls=True,
        rows=ROWS_OF_SLOW_CALLS,
    ),
)
