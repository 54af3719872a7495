"""SQL functions that compare texts, whose words stand between blanks and tabs, with reference texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from treesql.functions import translation
from treesql.functions.arrays import bytes_of, flatten, list_array, to_arrow
from treesql.functions.checks import check_cells
from treesql.functions.function import Function
from treesql.functions.translation import EQUAL, MAX_SMALL_ROWS, SCLITE
from treesql.kernels import edit_steps
from treesql.kernels.arrays import Ints

MAX_SMALL_BYTES = 1 << 13
"""Maximum number of bytes of a call that is computed without the compiler, which takes longer to start."""


def edit_counts(hypotheses: pa.ChunkedArray, references: pa.ChunkedArray, sclite: pa.ChunkedArray) -> pa.Array:
    """For every pair of texts the numbers of steps of an alignment, by kind."""
    weights = SCLITE if len(sclite) and sclite[0].as_py() else EQUAL
    if _are_few(hypotheses, references):
        return list_of_numbers(_few_edits(hypotheses.to_pylist(), references.to_pylist(), weights))
    from treesql.kernels.edit_counts import count_edits  # here, for it brings the compiler
    from treesql.kernels.nbest_texts import number_words

    one, other = bytes_of(hypotheses), bytes_of(references)
    each = np.arange(len(one[1]))
    numbers, known = number_words(*one, each, *other, each)
    check_cells("words", np.diff(numbers.offsets) + 1, np.diff(known.offsets) + 1)
    return list_of_numbers(count_edits(numbers, known, *weights))


def shared_word_n_grams(hypotheses: pa.ChunkedArray, references: pa.ChunkedArray, longest: pa.ChunkedArray) -> pa.Array:
    """For every text the numbers of its words, of those of the closest reference, and of shared n-grams by length."""
    order = max(longest[0].as_py() if len(longest) else 1, 1)
    texts, lists = flatten(references)
    if texts.null_count:
        raise ValueError("a list of this function cannot hold NULL")
    if _are_few(hypotheses, pa.chunked_array([texts])):
        return list_of_numbers(_few_matches(hypotheses.to_pylist(), references.to_pylist(), order))
    from treesql.kernels.nbest_n_grams import shared_n_grams  # here, as above
    from treesql.kernels.nbest_texts import number_words

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


def _are_few(hypotheses: pa.ChunkedArray, references: pa.ChunkedArray) -> bool:
    """Whether texts are so few that the compiler, which has not started yet, would take longer than they."""
    few = not translation.is_compiler_started() and max(len(hypotheses), len(references)) <= MAX_SMALL_ROWS
    return few and max(hypotheses.nbytes, references.nbytes) <= MAX_SMALL_BYTES


def _words(text: str | None) -> list[str]:
    return [word for word in (text or "").replace("\t", " ").split(" ") if word]


def _few_edits(hypotheses: Sequence[str | None], references: Sequence[str | None], weights: tuple[int, int]) -> Ints:
    found = np.zeros((len(hypotheses), 4), np.int64)
    for row, pair in enumerate(zip(map(_words, hypotheses), map(_words, references), strict=True)):
        numbers: dict[str, int] = {}
        left, right = (np.array([numbers.setdefault(word, len(numbers)) for word in one], np.int64) for one in pair)
        ends, other_ends = np.array([0, len(left)]), np.array([0, len(right)])
        steps = edit_steps.alignments(left, ends, right, other_ends, *weights, edit_steps.align_each)
        found[row] = np.bincount(steps.kind, minlength=4)
    return found


def _few_matches(hypotheses: Sequence[str | None], references: Sequence[Sequence[str]], longest: int) -> Ints:
    found = np.zeros((len(hypotheses), longest + 2), np.int64)
    for row, (hypothesis, others) in enumerate(zip(map(_words, hypotheses), references, strict=True)):
        known = [_words(one) for one in others]
        closest = min(((abs(len(one) - len(hypothesis)), len(one)) for one in known), default=(0, 0))[1]
        counted = [_count_n_grams(one, longest) for one in known]
        most = Counter({key: max(one[key] for one in counted) for one in counted for key in one})
        shared = Counter(map(len, (_count_n_grams(hypothesis, longest) & most).elements()))
        found[row] = [len(hypothesis), closest, *(shared[order] for order in range(1, longest + 1))]
    return found


def _count_n_grams(words: Sequence[str], longest: int) -> Counter[tuple[str, ...]]:
    return Counter(
        tuple(words[at : at + order]) for order in range(1, longest + 1) for at in range(len(words) - order + 1)
    )


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
