"""SQL functions that compare words or characters of translations with those of references."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa

from treesql.functions.arrays import (
    bytes_of,
    check_cells,
    constant,
    encode_strings,
    flatten,
    integer_array,
    list_array,
    longest_n_grams,
    to_arrow,
)
from treesql.functions.function import Function
from treesql.kernels.arrays import Flags, Ints
from treesql.kernels.texts import nbest
from treesql.kernels.texts.edit_distance import alignments, edit_distances
from treesql.runtime.arrays import cast

OPERATIONS = ("match", "substitution", "insertion", "deletion")
"""By kind of step, in the order of treesql.kernels.texts.edit_distance."""

EQUAL, SCLITE = (1, 1), (4, 3)
"""Weights of a substitution, and of an insertion or deletion."""

WIDEST_SPACE = 0x3000
"""The last code point that is white space."""

MAX_SMALL_ROWS = 64
"""Maximum number of rows that are numbered without Arrow's functions, which take 40 ms to import."""

_ROWS = 256
"""Maximum number of rows of one call of a slow function."""


def edit_steps(hypotheses: pa.ChunkedArray, references: pa.ChunkedArray) -> pa.Array:
    """For every pair of lists of strings the steps of an alignment with fewest edits."""
    return _steps(hypotheses, references, EQUAL)


def sclite_steps(hypotheses: pa.ChunkedArray, references: pa.ChunkedArray) -> pa.Array:
    """For every pair of lists of strings the steps of an alignment with the least weight of sclite."""
    return _steps(hypotheses, references, SCLITE)


def _steps(hypotheses: pa.ChunkedArray, references: pa.ChunkedArray, weights: tuple[int, int]) -> pa.Array:
    steps = alignments(*_encode_pairs(hypotheses, references), *weights)
    names = pa.DictionaryArray.from_arrays(to_arrow(steps.kind), pa.array(OPERATIONS, pa.string())).dictionary_decode()
    places = [_positions(steps.left), _positions(steps.right)]
    fields = ["operation", "hypothesis_position", "reference_position"]
    return list_array(pa.StructArray.from_arrays([names, *places], names=fields), steps.offsets)


def translation_edits(hypotheses: pa.ChunkedArray, references: pa.ChunkedArray) -> pa.Array:
    """For every pair of lists of strings the edits of TER."""
    from treesql.kernels.texts import translation_edits as kernel

    return to_arrow(kernel.translation_edits(*_encode_pairs(hypotheses, references)))


def matching_size(hypotheses: pa.ChunkedArray, references: pa.ChunkedArray, exponents: pa.ChunkedArray) -> pa.Array:
    """For every pair of lists of strings the size of a matching that favours runs."""
    from treesql.kernels.texts.translation_edits import match_sizes

    exponent = constant("exponent", exponents, 1.0)
    if not exponent >= 1:
        raise ValueError(f"the exponent is {exponent:g}; it is a number from 1 on")
    return to_arrow(match_sizes(*_encode_pairs(hypotheses, references), exponent))


def shared_n_grams(hypotheses: pa.ChunkedArray, references: pa.ChunkedArray, longest: pa.ChunkedArray) -> pa.Array:
    """For every pair of lists of strings the numbers of n-grams, by length those of the first, second and both."""
    return _overlaps(_encode_pairs(hypotheses, references, cells=False), longest)


def shared_character_n_grams(
    hypotheses: pa.ChunkedArray, references: pa.ChunkedArray, longest: pa.ChunkedArray, white_space: pa.ChunkedArray
) -> pa.Array:
    """For every pair of strings the numbers of n-grams of characters, by length those of the first, second and both."""
    kept = constant("white_space", white_space, False)
    sides = [code_points(side) if kept else without_space(*code_points(side)) for side in (hypotheses, references)]
    return _overlaps((*sides[0], *sides[1]), longest)


def character_edits(hypotheses: pa.ChunkedArray, references: pa.ChunkedArray) -> pa.Array:
    """For every pair of strings the fewest edits of characters."""
    (left, left_offsets), (right, right_offsets) = code_points(hypotheses), code_points(references)
    check_cells("characters", np.diff(left_offsets) + 1, np.diff(right_offsets) + 1)
    return to_arrow(edit_distances(left, left_offsets, right, right_offsets))


def _overlaps(sequences: tuple[Ints, Ints, Ints, Ints], longest: pa.ChunkedArray) -> pa.Array:
    from treesql.kernels.texts.n_gram_overlaps import LEFT, RIGHT, n_gram_overlaps

    overlaps = n_gram_overlaps(*sequences, longest_n_grams(longest))
    overlaps[..., LEFT] *= overlaps[..., RIGHT] > 0  # without any in the reference those of the hypothesis do not count
    return list_array(to_arrow(overlaps.ravel()), np.arange(len(overlaps) + 1) * overlaps.shape[1] * overlaps.shape[2])


def _encode_pairs(
    hypotheses: pa.ChunkedArray, references: pa.ChunkedArray, *, cells: bool = True
) -> tuple[Ints, Ints, Ints, Ints]:
    """Lists of strings as numbers, with their offsets. cells: whether tables of all pairs of words are made."""
    (hypothesis_words, hypothesis_offsets), (reference_words, reference_offsets) = (
        flatten(hypotheses),
        flatten(references),
    )
    if cells:
        check_cells("words", np.diff(hypothesis_offsets) + 1, np.diff(reference_offsets) + 1)
    if len(hypotheses) <= MAX_SMALL_ROWS:
        numbers: dict[str | None, int] = {}
        left, right = (
            np.array([numbers.setdefault(word, len(numbers)) for word in side.to_pylist()], np.int64)
            for side in (hypothesis_words, reference_words)
        )
    else:
        left, right = encode_strings(cast(hypothesis_words, pa.string()), cast(reference_words, pa.string()))
    return left, hypothesis_offsets, right, reference_offsets


def code_points(texts: pa.ChunkedArray) -> tuple[Ints, Ints]:
    """The characters of strings, one after the other, and where those of each string begin and end."""
    text, offsets = bytes_of(texts)
    starts = (text & 0xC0) != 0x80
    characters = np.frombuffer(str(text.data, "utf-8").encode("utf-32-le"), np.uint32).astype(np.int64)
    ends = np.concatenate([[0], np.cumsum(starts)]).astype(np.int64)
    return characters, ends[offsets]


def without_space(characters: Ints, offsets: Ints) -> tuple[Ints, Ints]:
    """The characters of strings that are no white space, and where those of each string begin and end."""
    kept = _is_no_space()[np.minimum(characters, WIDEST_SPACE + 1)]
    return characters[kept], np.concatenate([[0], np.cumsum(kept)]).astype(np.int64)[offsets]


@cache
def _is_no_space() -> Flags:
    """By code point, whether it is no white space."""
    return np.array([not chr(at).isspace() for at in range(WIDEST_SPACE + 2)])


def _positions(places: Ints) -> pa.Array:
    """0-based places as 1-based positions; NULL where there is none."""
    return integer_array(np.asarray(places + 1), np.asarray(places < 0))


_LISTS = (("hypothesis", "VARCHAR[]"), ("reference", "VARCHAR[]"))
_TEXTS = (("hypothesis", "VARCHAR"), ("reference", "VARCHAR"))
_STEPS = "STRUCT(operation VARCHAR, hypothesis_position INTEGER, reference_position INTEGER)[]"

_EXAMPLES = (("['b', 'c', 'a']", "['a', 'b', 'c', 'd']"),)


def edit_counts(hypotheses: pa.ChunkedArray, references: pa.ChunkedArray, sclite: pa.ChunkedArray) -> pa.Array:
    """For every pair of texts the numbers of steps of an alignment, by kind."""
    weights = SCLITE if constant("sclite", sclite, False) else EQUAL
    hypothesis_texts, reference_texts = bytes_of(hypotheses), bytes_of(references)
    lists = np.arange(len(hypothesis_texts[1]))
    hypothesis_words, reference_words = nbest.number_words(*hypothesis_texts, lists, *reference_texts, lists)
    check_cells("words", np.diff(hypothesis_words.offsets) + 1, np.diff(reference_words.offsets) + 1)
    return list_of_numbers(nbest.count_edits(hypothesis_words, reference_words, *weights))


def shared_word_n_grams(hypotheses: pa.ChunkedArray, references: pa.ChunkedArray, longest: pa.ChunkedArray) -> pa.Array:
    """For every text the numbers of its words, of those of the closest reference, and of shared n-grams by length."""
    order = max(longest_n_grams(longest), 1)
    texts, lists = flatten(references)
    if texts.null_count:
        raise ValueError("a list of this function cannot hold NULL")
    hypothesis_texts = bytes_of(hypotheses)
    hypothesis_words, reference_words = nbest.number_words(
        *hypothesis_texts, np.arange(len(hypothesis_texts[1])), *bytes_of(pa.chunked_array([texts])), lists
    )
    counts = np.empty((len(hypotheses), order + 2), np.int64)
    counts[:, 0] = np.diff(hypothesis_words.offsets)
    counts[:, 1] = _closest_lengths(counts[:, 0], np.diff(reference_words.offsets), lists)
    counts[:, 2:] = nbest.shared_n_grams(hypothesis_words, reference_words, order)
    return list_of_numbers(counts)


def list_of_numbers(rows: Ints) -> pa.Array:
    """Rows of numbers as lists."""
    return list_array(to_arrow(rows.ravel()), np.arange(len(rows) + 1) * rows.shape[1])


def _closest_lengths(lengths: Ints, others: Ints, lists: Ints) -> Ints:
    """Of the lengths of every list that which is closest to a length, the shorter of two, 0 of none: (lists,)."""
    closest = np.zeros(len(lengths), np.int64)
    has_references = np.diff(lists) > 0
    if has_references.any():
        far = np.abs(others - np.repeat(lengths, np.diff(lists))) << 32 | others
        closest[has_references] = np.minimum.reduceat(far, lists[:-1][has_references]) & 0xFFFFFFFF
    return closest


FUNCTIONS = (
    Function(
        "edit_steps",
        "an alignment of two lists with fewest edits, of several with most matches, as steps: match, substitution, "
        "insertion (an item of the hypothesis too many) or deletion, with the 1-based positions",
        _LISTS,
        _STEPS,
        edit_steps,
        _EXAMPLES,
    ),
    Function(
        "sclite_steps",
        "steps as `edit_steps` has them, of an alignment with least weight: a substitution weighs 4, an insertion or "
        "deletion 3",
        _LISTS,
        _STEPS,
        sclite_steps,
        _EXAMPLES,
    ),
    Function(
        "translation_edits",
        "the number of edits of TER that turn one list into the other, of which an edit may shift a run of items",
        _LISTS,
        "BIGINT",
        translation_edits,
        _EXAMPLES,
        rows=_ROWS,
    ),
    Function(
        "matching_size",
        "the size of a matching of equal items of two lists: the sum of length ** exponent over its runs, to the power "
        "of 1 / exponent; the longest run is taken first",
        (*_LISTS, ("exponent", "DOUBLE")),
        "DOUBLE",
        matching_size,
        tuple((*example, "2") for example in _EXAMPLES),
        rows=_ROWS,
    ),
    Function(
        "shared_n_grams",
        "for 1 to `longest` items three numbers of n-grams: those of the first list, 0 if the second has none; those "
        "of the second; those of both",
        (*_LISTS, ("longest", "INTEGER")),
        "BIGINT[]",
        shared_n_grams,
        tuple((*example, "4") for example in _EXAMPLES),
    ),
    Function(
        "shared_character_n_grams",
        "for 1 to `longest` characters three numbers of n-grams: those of the first text, 0 if the second has "
        "none; those of the second; those of both; `white_space`: whether white space is part of n-grams",
        (*_TEXTS, ("longest", "INTEGER"), ("white_space", "BOOLEAN")),
        "BIGINT[]",
        shared_character_n_grams,
        (("'a b'", "'a c'", "6", "false"),),
    ),
    Function(
        "character_edits",
        "the fewest characters to insert, delete or replace, to turn one text into the other",
        _TEXTS,
        "BIGINT",
        character_edits,
        (("'a b'", "'a c'"),),
    ),
    Function(
        "edit_counts",
        "the numbers of matches, substitutions, insertions (words of the hypothesis too many) and deletions of an "
        "alignment of two texts with fewest edits, of several with most matches; `sclite`: of least weight, where a "
        "substitution weighs 4, an insertion or deletion 3",
        (("hypothesis", "VARCHAR"), ("reference", "VARCHAR"), ("sclite", "BOOLEAN")),
        "BIGINT[]",
        edit_counts,
        (("'b c a'", "'a b c d'", "false"),),
    ),
    Function(
        "shared_word_n_grams",
        "the number of words of a text, that of the reference whose number is closest, the smaller of two, and for 1 "
        "to `longest` words the number of n-grams that a reference has, too, as often as that with most of them",
        (("hypothesis", "VARCHAR"), ("references", "VARCHAR[]"), ("longest", "INTEGER")),
        "BIGINT[]",
        shared_word_n_grams,
        (("'a b c'", "['a b', 'b c d']", "4"),),
    ),
)
