"""SQL functions that align words."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from treesql.functions.arrays import (
    InvalidRow,
    check_cells,
    check_lengths,
    check_link_order,
    check_range,
    constant,
    encode_strings,
    flatten,
    flatten_integers,
    integer_array,
    list_array,
    to_numpy,
)
from treesql.functions.function import Function
from treesql.kernels.alignments.alignment import longest_common_subsequences
from treesql.kernels.arrays import Flags, Ints
from treesql.runtime.arrays import cast, encode

_LARGEST = 2**31 - 1

VARIANTS = ("either", "both")
"""Which words of a link are not linked yet when symmetrisation takes it beside another."""


def common_subsequence(left: pa.ChunkedArray, right: pa.ChunkedArray) -> pa.Array:
    """For every pair of lists of strings the 1-based positions of a longest common subsequence in both."""
    n = len(left)
    (left_items, left_offsets), (right_items, right_offsets) = flatten(left), flatten(right)
    check_cells("items", np.diff(left_offsets) + 1, np.diff(right_offsets) + 1)
    numbers, right_numbers = encode_strings(left_items, right_items)
    matches = longest_common_subsequences(numbers, left_offsets, right_numbers, right_offsets)
    positions = [integer_array(matches.left + 1), integer_array(matches.right + 1)]
    pairs = pa.StructArray.from_arrays(positions, names=["left_position", "right_position"])
    return list_array(pairs, np.searchsorted(matches.pair, np.arange(n + 1)))


def align_words(left: pa.ChunkedArray, right: pa.ChunkedArray) -> pa.Array:
    """For every pair of lists of words the 1-based positions of those that are aligned by their characters."""
    from treesql.kernels.alignments.word_alignment import align_words as align  # here, as few commands need it

    (left_words, left_offsets), (right_words, right_offsets) = flatten(left), flatten(right)
    if left_words.null_count or right_words.null_count:
        raise ValueError("a list of this function cannot hold NULL")
    encoded = encode(pa.chunked_array([cast(left_words, pa.string()), cast(right_words, pa.string())]).combine_chunks())
    numbers = to_numpy(encoded.indices, np.int64)
    words = encoded.dictionary.to_pylist()
    characters = np.frombuffer("".join(words).encode("utf-32-le"), dtype="<u4").astype(np.int64) + 1
    ends = np.append(0, np.cumsum([len(word) for word in words], dtype=np.int64))
    first, second, offsets = align(
        numbers[: len(left_words)], left_offsets, numbers[len(left_words) :], right_offsets, characters, ends
    )
    positions = [integer_array(first + 1), integer_array(second + 1)]
    pairs = pa.StructArray.from_arrays(positions, names=["left_position", "right_position"])
    return list_array(pairs, offsets)


def symmetrise(
    sources: pa.ChunkedArray,
    targets: pa.ChunkedArray,
    directions: pa.ChunkedArray,
    methods: pa.ChunkedArray,
    variants: pa.ChunkedArray,
) -> pa.Array:
    """For every sentence the links of the union of two alignments that a method takes.

    directions: of every link 1 if the first alignment alone has it, 2 if the second alone, 3 if both have it.
    variants: which words of a link are unlinked when it is taken beside another, `either` or `both`.
    """
    (source, offsets), (target, *target_offsets), (direction, *direction_offsets) = map(
        flatten_integers, (sources, targets, directions)
    )
    check_lengths(
        "sources, targets and directions of links must be as many", offsets, *target_offsets, *direction_offsets
    )
    check_range("a link is to no word", source, 0, _LARGEST, offsets)
    check_range("a link is to no word", target, 0, _LARGEST, offsets)
    check_range("a direction is 1, 2 or 3, for both", direction, 1, 3, offsets)
    check_link_order(source, target, offsets)
    taken = np.zeros(len(source), dtype=bool)
    choices = list(zip(methods.to_pylist(), variants.to_pylist(), strict=True))
    places = {way: place for place, way in enumerate(dict.fromkeys(choices))}
    link_choices = np.repeat(np.array([places[way] for way in choices], dtype=np.int64), np.diff(offsets))
    for (method, variant), place in places.items():
        taken |= (link_choices == place) & _taken(method, variant, source, target, direction, offsets)
    kept = np.append(0, np.cumsum(taken))[offsets]
    links = pa.StructArray.from_arrays(
        [integer_array(source[taken]), integer_array(target[taken])], names=["source", "target"]
    )
    return list_array(links, kept)


def match_links(
    sources: pa.ChunkedArray, targets: pa.ChunkedArray, other_sources: pa.ChunkedArray, other_targets: pa.ChunkedArray
) -> pa.Array:
    """For every two lists of links the 1-based positions of those that are paired: the most pairs that share a word.

    Word 0, of null links, is no word that links can share.
    """
    (source, offsets), (target, target_offsets), (other_source, other_offsets), (other_target, other_target_offsets) = (
        map(flatten_integers, (sources, targets, other_sources, other_targets))
    )
    check_lengths("sources and targets of links must be as many", offsets, target_offsets)
    check_lengths("sources and targets of other links must be as many", other_offsets, other_target_offsets)
    for ends, starts in (
        (source, offsets),
        (target, offsets),
        (other_source, other_offsets),
        (other_target, other_target_offsets),
    ):
        check_range("a link is to no word", ends, 0, _LARGEST, starts)
    from treesql.kernels.alignments.alignment import match_links as match  # here, as few commands need it

    words = _number_words(source, target, offsets, -2), _number_words(other_source, other_target, other_offsets, -1)
    numbers = np.unique(np.concatenate([side.ravel() for side in words]), return_inverse=True)[1]
    n = words[0].size
    partners = match(numbers[:n].reshape(2, -1), numbers[n:].reshape(2, -1))
    paired = np.flatnonzero(partners >= 0)
    row = np.searchsorted(offsets, paired, side="right") - 1
    positions = [
        integer_array(paired - offsets[row] + 1),
        integer_array(partners[paired] - other_offsets[row] + 1),
    ]
    pairs = pa.StructArray.from_arrays(positions, names=["left_position", "right_position"])
    return list_array(pairs, np.searchsorted(row, np.arange(len(offsets))))


def consistent_pairs(
    sources: pa.ChunkedArray,
    targets: pa.ChunkedArray,
    n_sources: pa.ChunkedArray,
    n_targets: pa.ChunkedArray,
    longest: pa.ChunkedArray,
) -> pa.Array:
    """For every alignment of a sentence the pairs of runs of words that are consistent with it."""
    (source, offsets), (target, target_offsets) = map(flatten_integers, (sources, targets))
    check_lengths("sources and targets of links must be as many", offsets, target_offsets)
    n_source, n_target = (to_numpy(column.combine_chunks(), np.int64) for column in (n_sources, n_targets))
    for what, words, n in (("source", source, n_source), ("target", target, n_target)):
        rows = np.repeat(np.arange(len(n)), np.diff(offsets))
        wrong = np.flatnonzero((words < 1) | (words > n[rows]))
        if len(wrong):
            raise InvalidRow(int(rows[wrong[0]]), f"a link of the {what} word {words[wrong[0]]}, which does not exist")
    limit = int(constant("longest", longest, 1))
    if limit < 1:
        raise ValueError(f"phrases have at least one word, not {limit}")
    for words in (n_source, n_target):
        check_cells("words", words + 1, np.minimum(words, limit))
    from treesql.kernels.alignments import alignment as kernel  # here, as few commands need it

    pairs, ends = kernel.consistent_pairs(source, target, offsets, n_source, n_target, limit)
    names = ["source_start", "source_end", "target_start", "target_end"]
    return list_array(pa.StructArray.from_arrays([integer_array(positions) for positions in pairs], names=names), ends)


def _number_words(source: Ints, target: Ints, offsets: Ints, null_number: int) -> Ints:
    """A number for every source and target word, (2, links), that no other row and no other word has.

    null_number: the number of word 0, which differs between the two sides that are paired.
    """
    row = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    numbers = np.stack([2 * row, 2 * row + 1]) << 31 | np.stack([source, target])
    return np.where(np.stack([source, target]) == 0, null_number, numbers)


def _taken(method: str, variant: str, source: Ints, target: Ints, direction: Ints, offsets: Ints) -> Flags:
    if variant not in VARIANTS:
        raise ValueError(f"the variant is {' or '.join(VARIANTS)}, not {variant}")
    if method in ("union", "intersection"):
        flags: Flags = direction >= (1 if method == "union" else 3)
        return flags
    from treesql.kernels.alignments import alignment as kernel  # here, as few commands need it

    finals = {
        "grow-diag": kernel.NO_FINAL,
        "grow-diag-final": kernel.FINAL,
        "grow-diag-final-and": kernel.FINAL_AND,
    }
    if method not in finals:
        raise ValueError(f"the method is union, intersection or {', '.join(finals)}, not {method}")
    return kernel.grow_diag(source, target, direction, offsets, finals[method], both_new=variant == "both")


_EXAMPLES = (("['in', 'the', 'house', '.']", "['inthe', 'hou', 'se', '!']"),)

FUNCTIONS = (
    Function(
        "common_subsequence",
        "the 1-based positions, in two lists, of the items of a longest common subsequence",
        (("left", "VARCHAR[]"), ("right", "VARCHAR[]")),
        "STRUCT(left_position INTEGER, right_position INTEGER)[]",
        common_subsequence,
        _EXAMPLES,
    ),
    Function(
        "align_words",
        "the 1-based positions of the words of two versions of a sentence that are aligned by their characters",
        (("left", "VARCHAR[]"), ("right", "VARCHAR[]")),
        "STRUCT(left_position INTEGER, right_position INTEGER)[]",
        align_words,
        _EXAMPLES,
    ),
    Function(
        "symmetrise",
        "the links of the union of two alignments of a sentence that a method takes: union, intersection, grow-diag, "
        "grow-diag-final or grow-diag-final-and; a variant, `either` or `both`, says which words of a link that is "
        "taken beside another are not linked yet",
        (
            ("sources", "INTEGER[]"),
            ("targets", "INTEGER[]"),
            ("directions", "INTEGER[]"),
            ("method", "VARCHAR"),
            ("variant", "VARCHAR"),
        ),
        'STRUCT("source" INTEGER, "target" INTEGER)[]',
        symmetrise,
        (("[1, 1, 2]", "[1, 2, 2]", "[1, 2, 3]", "'grow-diag-final'", "'either'"),),
    ),
    Function(
        "match_links",
        "the 1-based positions, in two lists of links of a sentence, of those that are paired: the most pairs of links "
        "that share a word, where every link is in one pair at most",
        (
            ("sources", "INTEGER[]"),
            ("targets", "INTEGER[]"),
            ("other_sources", "INTEGER[]"),
            ("other_targets", "INTEGER[]"),
        ),
        "STRUCT(left_position INTEGER, right_position INTEGER)[]",
        match_links,
        (("[1, 1, 2]", "[1, 2, 2]", "[1, 3]", "[1, 2]"),),
    ),
    Function(
        "consistent_pairs",
        "the pairs of runs of at most `longest` words that are consistent with the links of a sentence: one at least "
        "is between them, and none leads out of either; first and last words, from 1",
        (
            ("sources", "INTEGER[]"),
            ("targets", "INTEGER[]"),
            ("n_source", "INTEGER"),
            ("n_target", "INTEGER"),
            ("longest", "INTEGER"),
        ),
        "STRUCT(source_start INTEGER, source_end INTEGER, target_start INTEGER, target_end INTEGER)[]",
        consistent_pairs,
        (("[1, 2]", "[1, 3]", "2", "3", "7"),),
    ),
)
