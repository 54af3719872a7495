"""SQL functions that compare texts, whose words stand between blanks and tabs, with reference texts."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from treesql.functions.arrays import bytes_of, constant, flatten, list_array, longest_n_grams, to_arrow
from treesql.functions.checks import check_cells
from treesql.functions.function import Function
from treesql.functions.translation import EQUAL, SCLITE
from treesql.kernels.arrays import Ints
from treesql.kernels.nbest import count_edits, number_words, shared_n_grams


def edit_counts(hypotheses: pa.ChunkedArray, references: pa.ChunkedArray, sclite: pa.ChunkedArray) -> pa.Array:
    """For every pair of texts the numbers of steps of an alignment, by kind."""
    weights = SCLITE if constant("sclite", sclite, False) else EQUAL
    one, other = bytes_of(hypotheses), bytes_of(references)
    each = np.arange(len(one[1]))
    numbers, known = number_words(*one, each, *other, each)
    check_cells("words", np.diff(numbers.offsets) + 1, np.diff(known.offsets) + 1)
    return list_of_numbers(count_edits(numbers, known, *weights))


def shared_word_n_grams(hypotheses: pa.ChunkedArray, references: pa.ChunkedArray, longest: pa.ChunkedArray) -> pa.Array:
    """For every text the numbers of its words, of those of the closest reference, and of shared n-grams by length."""
    order = max(longest_n_grams(longest), 1)
    texts, lists = flatten(references)
    if texts.null_count:
        raise ValueError("a list of this function cannot hold NULL")
    one = bytes_of(hypotheses)
    numbers, known = number_words(*one, np.arange(len(one[1])), *bytes_of(pa.chunked_array([texts])), lists)
    found = np.empty((len(hypotheses), order + 2), np.int64)
    found[:, 0] = np.diff(numbers.offsets)
    found[:, 1] = _closest_lengths(found[:, 0], np.diff(known.offsets), lists)
    found[:, 2:] = shared_n_grams(numbers, known, order)
    return list_of_numbers(found)


def list_of_numbers(rows: Ints) -> pa.Array:
    """Rows of numbers as lists."""
    return list_array(to_arrow(rows.ravel()), np.arange(len(rows) + 1) * rows.shape[1])


def _closest_lengths(lengths: Ints, others: Ints, lists: Ints) -> Ints:
    """Of the lengths of every list that which is closest to a length, the shorter of two, 0 of none: (lists,)."""
    found = np.zeros(len(lengths), np.int64)
    some = np.diff(lists) > 0
    if some.any():
        far = np.abs(others - np.repeat(lengths, np.diff(lists))) << 32 | others
        found[some] = np.minimum.reduceat(far, lists[:-1][some]) & 0xFFFFFFFF
    return found


FUNCTIONS = (
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
