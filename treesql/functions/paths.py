"""SQL functions of dependency trees: paths between words, spanning trees of paths, tree edit distances."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from treesql.functions.arrays import (
    check_cells,
    check_heads,
    check_lengths,
    check_range,
    encode_strings,
    explain_faults,
    flatten,
    integer_array,
    to_arrow,
)
from treesql.functions.function import ROWS_OF_SLOW_CALLS, Function
from treesql.kernels.arrays import Ints
from treesql.runtime.arrays import call, cast

if TYPE_CHECKING:
    from treesql.kernels.trees.dependency_trees import DependencyTrees
    from treesql.kernels.trees.spanning_trees import LinkBatch

RENAMING = {"structure": 0, "deprel": 1, "aligned": 1, "aligned_strict": 2}
"""What it costs to rename a node in the edit distance of dependency trees, where the nodes do not correspond."""


def path_encoding(
    heads: pa.ChunkedArray, relations: pa.ChunkedArray, first: pa.ChunkedArray, last: pa.ChunkedArray
) -> pa.Array:
    """For every tree the relations on the way up from a word, where the other stands, and those on the way down."""
    from treesql.kernels.trees.dependency_trees import path_encodings

    numbers, offsets, labels = _trees(heads, relations)
    words = [_numbers(word.combine_chunks()) for word in (first, last)]
    with explain_faults(partial(check_heads, numbers, offsets)):
        encodings = path_encodings(offsets, numbers, *words)
    direction = pa.DictionaryArray.from_arrays(to_arrow(encodings.rightwards.astype("i1")), pa.array(["beta", "alpha"]))
    ways = [
        pa.ListArray.from_arrays(integer_array(starts), call("take", labels, to_arrow(words)))
        for starts, words in (
            (encodings.ascending_offsets, encodings.ascending),
            (encodings.descending_offsets, encodings.descending),
        )
    ]
    columns = [ways[0], cast(direction, pa.string()), ways[1]]
    return pa.StructArray.from_arrays(columns, names=["ascending", "direction", "descending"])


def path_disparity(reference: pa.ChunkedArray, hypothesis: pa.ChunkedArray) -> pa.Array:
    """For every pair of encoded paths how far they differ, and how far they can; 0 and 0 if one has no relations."""
    import pyarrow.compute as pc

    from treesql.kernels.texts.edit_distance import edit_distances

    sides = [reference.combine_chunks(), hypothesis.combine_chunks()]
    disparity, maximum = np.zeros(len(reference), np.int64), np.ones(len(reference), np.int64)
    lengths = np.zeros((2, len(reference)), np.int64)
    for way in ("ascending", "descending"):
        (left, left_offsets), (right, right_offsets) = (_flat(side.field(way)) for side in sides)
        check_cells("relations", np.diff(left_offsets) + 1, np.diff(right_offsets) + 1)
        disparity += edit_distances(*_encoded_pair(left, left_offsets, right, right_offsets))
        path_lengths = np.array([np.diff(left_offsets), np.diff(right_offsets)])
        lengths += path_lengths
        maximum += path_lengths.max(axis=0)
    directions = [side.field("direction") for side in sides]
    if any(direction.null_count for direction in directions):
        raise ValueError("a path has no direction")
    disparity += pc.not_equal(*directions).to_numpy(zero_copy_only=False)
    is_path = lengths.min(axis=0) > 0
    columns = [integer_array(np.where(is_path, values, 0)) for values in (disparity, maximum)]
    return pa.StructArray.from_arrays(columns, names=["disparity", "maximum"])


def spanning_tree(
    reference_heads: pa.ChunkedArray,
    reference_relations: pa.ChunkedArray,
    hypothesis_heads: pa.ChunkedArray,
    hypothesis_relations: pa.ChunkedArray,
    reference_links: pa.ChunkedArray,
    hypothesis_links: pa.ChunkedArray,
) -> pa.Array:
    """For every pair of aligned trees the pairs of links of a spanning tree that differ least, and how far."""
    from treesql.kernels.trees.spanning_trees import spanning_trees

    aligned_trees = _aligned_trees(
        reference_heads, reference_relations, hypothesis_heads, hypothesis_relations, reference_links, hypothesis_links
    )
    with explain_faults(partial(_check, *aligned_trees)):
        trees = spanning_trees(*aligned_trees)
    edges = [trees.first + 1, trees.second + 1, trees.disparity, trees.maximum]
    names = ["first", "second", "disparity", "maximum"]
    rows = pa.StructArray.from_arrays([integer_array(values) for values in edges], names=names)
    return pa.ListArray.from_arrays(integer_array(trees.offsets), rows)


def dependency_tree_edit_distance(
    reference_heads: pa.ChunkedArray,
    reference_relations: pa.ChunkedArray,
    hypothesis_heads: pa.ChunkedArray,
    hypothesis_relations: pa.ChunkedArray,
    reference_links: pa.ChunkedArray,
    hypothesis_links: pa.ChunkedArray,
    costs: pa.ChunkedArray,
) -> pa.Array:
    """For every pair of trees the fewest words to insert, delete or rename, where renaming costs what RENAMING says."""
    reference, hypothesis, links = _aligned_trees(
        reference_heads, reference_relations, hypothesis_heads, hypothesis_relations, reference_links, hypothesis_links
    )
    kinds = costs.combine_chunks().dictionary_encode()
    names = kinds.dictionary.to_pylist()
    unknown = [name for name in names if name not in RENAMING]
    if unknown:
        raise ValueError(f"costs are {', '.join(RENAMING)}, not {unknown[0]}")
    distances = np.zeros(len(costs), np.int64)
    for number, name in enumerate(names):
        chosen = _numbers(kinds.indices) == number
        distances[chosen] = _edit_distances(reference, hypothesis, links, name)[chosen]
    return integer_array(distances)


def _edit_distances(reference: DependencyTrees, hypothesis: DependencyTrees, links: LinkBatch, costs: str) -> Ints:
    from treesql.kernels.trees import tree_edit

    check_cells("words", np.diff(reference.offsets) + 1, np.diff(hypothesis.offsets) + 1)
    with explain_faults(partial(_check, reference, hypothesis, links)):
        (reference_trees, reference_places), (hypothesis_trees, hypothesis_places) = (
            tree_edit.from_dependencies(*trees) for trees in (reference, hypothesis)
        )
    if not costs.startswith("aligned"):
        return tree_edit.tree_edit_distances(reference_trees, hypothesis_trees, RENAMING[costs])
    _check(reference, hypothesis, links)
    pair = np.repeat(np.arange(len(links.offsets) - 1), np.diff(links.offsets))
    sides = ((reference, reference_places, links.reference), (hypothesis, hypothesis_places, links.hypothesis))
    nodes = []
    for trees, node_of, words in sides:
        sizes = np.diff(trees.offsets)
        # the links, and behind those of each pair of trees their artificial roots
        nodes.append(np.insert(node_of[trees.offsets[pair] + words - 1], links.offsets[1:], sizes))
    offsets = links.offsets + np.arange(len(links.offsets))
    return tree_edit.tree_edit_distances(
        reference_trees, hypothesis_trees, RENAMING[costs], tree_edit.Counterparts(offsets, *nodes)
    )


_TREE = (("heads", "INTEGER[]"), ("relations", "VARCHAR[]"))
_ENCODING = "STRUCT(ascending VARCHAR[], direction VARCHAR, descending VARCHAR[])"
_ALIGNED_TREES = (
    *((f"{side}_{name}", kind) for side in ("reference", "hypothesis") for name, kind in _TREE),
    ("reference_links", "INTEGER[]"),
    ("hypothesis_links", "INTEGER[]"),
)

_TREES = ("[2, 0, 2]", "['nsubj', 'root', 'obj']", "[0, 1, 1]", "['root', 'nsubj', 'obl']", "[1, 2, 3]", "[2, 1, 3]")

FUNCTIONS = (
    Function(
        "path_encoding",
        "the path from one word to another: relations up to the lowest common ancestor, then `alpha` if the first word "
        "precedes the last, else `beta`, then relations down",
        (*_TREE, ("first", "INTEGER"), ("last", "INTEGER")),
        _ENCODING,
        path_encoding,
        (("[2, 0, 2]", "['nsubj', 'root', 'obj']", "1", "3"),),
    ),
    Function(
        "path_disparity",
        "how far two encoded paths differ, and how far paths of their lengths can; 0 and 0 if one is from a word to "
        "itself",
        (("reference", _ENCODING), ("hypothesis", _ENCODING)),
        "STRUCT(disparity INTEGER, maximum INTEGER)",
        path_disparity,
        (
            (
                "{ascending: ['nsubj'], direction: 'alpha', descending: ['obj']}",
                "{ascending: ['nsubj'], direction: 'beta', descending: ['obl', 'case']}",
            ),
        ),
    ),
    Function(
        "spanning_tree",
        "pairs of links, as 1-based positions in the lists of links, that connect all links and whose paths differ "
        "least, with disparity and maximum",
        _ALIGNED_TREES,
        "STRUCT(first INTEGER, second INTEGER, disparity INTEGER, maximum INTEGER)[]",
        spanning_tree,
        (_TREES,),
        shared=True,
    ),
    Function(
        "dependency_tree_edit_distance",
        "the minimum cost of insertions, deletions and renamings of words that turn one dependency tree into the "
        "other; costs of renaming: "
        "structure, deprel, aligned, aligned_strict",
        (*_ALIGNED_TREES, ("costs", "VARCHAR")),
        "INTEGER",
        dependency_tree_edit_distance,
        ((*_TREES, "'aligned'"),),
        rows=ROWS_OF_SLOW_CALLS,
    ),
)


def _flat(lists: pa.Array | pa.ChunkedArray) -> tuple[pa.Array, Ints]:
    if lists.null_count:
        raise ValueError("a list is missing")
    return flatten(lists)


def _numbers(values: pa.Array) -> Ints:
    """Integers without NULL as an array. Raises ValueError."""
    if values.null_count:
        raise ValueError("a number is missing")
    numbers: Ints = values.to_numpy(zero_copy_only=False).astype(np.int64)
    return numbers


def _encoded_pair(
    left: pa.Array, left_offsets: Ints, right: pa.Array, right_offsets: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    """Lists of strings as lists of numbers."""
    left_numbers, right_numbers = encode_strings(left, right)
    return left_numbers, left_offsets, right_numbers, right_offsets


def _trees(heads: pa.ChunkedArray, relations: pa.ChunkedArray) -> tuple[Ints, Ints, pa.Array]:
    """Heads, where each tree begins and ends, and relations. Raises ValueError."""
    (items, offsets), (labels, label_offsets) = _flat(heads), _flat(relations)
    check_lengths("a tree has not as many heads as relations", offsets, label_offsets)
    return _numbers(items), offsets, labels


def _aligned_trees(
    reference_heads: pa.ChunkedArray,
    reference_relations: pa.ChunkedArray,
    hypothesis_heads: pa.ChunkedArray,
    hypothesis_relations: pa.ChunkedArray,
    reference_links: pa.ChunkedArray,
    hypothesis_links: pa.ChunkedArray,
) -> tuple[DependencyTrees, DependencyTrees, LinkBatch]:
    """Pairs of trees and their links as a kernel takes them. Raises ValueError."""
    from treesql.kernels.trees.dependency_trees import DependencyTrees
    from treesql.kernels.trees.spanning_trees import LinkBatch

    heads, offsets, labels = _trees(reference_heads, reference_relations)
    other_heads, other_offsets, other_labels = _trees(hypothesis_heads, hypothesis_relations)
    (links, link_offsets), (other_links, other_link_offsets) = _flat(reference_links), _flat(hypothesis_links)
    check_lengths("the two lists of links are not of one length", link_offsets, other_link_offsets)
    numbers, other_numbers = encode_strings(labels, other_labels)
    return (
        DependencyTrees(offsets, heads, numbers),
        DependencyTrees(other_offsets, other_heads, other_numbers),
        LinkBatch(link_offsets, _numbers(links), _numbers(other_links)),
    )


def _check(reference: DependencyTrees, hypothesis: DependencyTrees, links: LinkBatch) -> None:
    """Check that heads and links are words of their sentences."""
    for trees, words in ((reference, links.reference), (hypothesis, links.hypothesis)):
        check_heads(trees.heads, trees.offsets)
        check_range("a link is to no word of the sentence", words, 1, np.diff(trees.offsets), links.offsets)
