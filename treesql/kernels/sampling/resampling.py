"""Permutation and bootstrap resampling of sentences: sums of rows over many runs at once.

Random numbers are the raw output of PCG64, which NumPy guarantees to keep: a seed gives the same runs everywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from treesql.kernels.arrays import Bytes, Floats, Ints
from treesql.kernels.compiling import compiled
from treesql.kernels.sampling import fixed_point

Packed = npt.NDArray[Any]

MAX_DRAWS = 1 << 16
"""Maximum number of random draws, or counts of draws, in memory at a time; chosen to fit a fast cache."""

FEW_COLUMNS = 16
"""Number of columns below which the counts of draws cost more time than the products with the columns."""

MAX_DRAWS_OF_MANY = 1 << 20
"""Maximum number of counts of draws in memory at a time of more columns: products of larger matrices are faster."""

MIN_COMPILED_DRAWS = 1 << 24
"""Number of draws, or of lookups in tables, from which on a kernel makes them: NumPy takes a tenth of a second for
fewer, less than importing the compiler."""

MAX_PRODUCTS_OF_ONE_THREAD = 1 << 18
"""Number of multiplications up to which OpenBLAS takes one thread."""

MIN_ROWS_AT_ONCE, SIDE_OF_TILES = 16, 256
"""Number of rows below which a product of all runs takes longer than products of tiles of few runs, and the most rows
and columns of a tile."""

RANDOM_WORDS = 1 << 14
"""Number of random 64-bit words drawn at a time to choose rows; a buffer of this size is reused."""

WORD_BITS = 62
"""Usable bits of a word that packs several integer columns."""

DOUBLE_BITS = 52
"""Those of a double."""

SINGLE = 1 << 24
"""Whole numbers below are exact in single precision, whose products take half the time."""

MAX_SINGLES = 3
"""Number of columns of single precision that take as long as one of doubles, with the counts of draws."""


def exchange_distribution(differences: Ints) -> tuple[int, Floats]:
    """Return the distribution of the sum of absolute differences, each included with probability 1/2.

    differences: int64[n]. Returns the least sum with a positive probability in double precision, and the probabilities
    of it and of all larger sums in steps of 1. Equal differences give a binomial distribution; these are convolved: O(n
    s) for a sum of s, and much less where n is large, as tails that underflow are dropped. All terms are positive:
    probabilities have a relative error of about 1e-14, including the far tails.
    """
    sizes, times = np.unique(np.abs(differences[differences != 0]), return_counts=True)
    least, distribution = 0, np.ones(1)
    for at in np.argsort(sizes * times, kind="stable"):
        size = int(sizes[at])
        first, chosen = _trim_zeros(coin_toss_probabilities(int(times[at])))
        lowest, distribution = _trim_zeros(_convolve(distribution, chosen, size))
        least += first * size + lowest
    return least, distribution


def exchange_p_value(differences: Ints) -> float:
    """Return the share of all 2**n exchanges whose difference is at least as far from 0 as the observed one, two-sided.

    differences: int64[n], the first system's count less the second's. Noreen 1989, without sampling.
    """
    observed, total = abs(int(differences.sum())), int(np.abs(differences).sum())
    if observed == 0:
        return 1.0
    least, distribution = exchange_distribution(differences)
    beyond = distribution[max((total + observed) // 2 - least, 0) :]
    return min(2 * float(np.sort(beyond).sum()), 1.0)


def coin_toss_probabilities(n: int) -> Floats:
    """Return the probabilities of 0..n heads in n tosses of a coin: float64[n + 1], computed from the middle outwards.

    The relative error of their sums is about 1e-15, that of scipy's binomial distribution up to 4e-12.
    """
    middle = n // 2
    above = np.arange(middle, n)
    up = np.cumprod((n - above) / (above + 1))
    below = np.arange(middle, 0, -1)
    down = np.cumprod(below / (n - below + 1))
    weights = np.concatenate([down[::-1], [1.0], up])
    probabilities: Floats = weights / np.sort(weights).sum()
    return probabilities


def sums_of_all_subsets(rows: Floats) -> Floats:
    """Return the sums of the rows in every one of the 2**n subsets of n rows: float64[2**n, k] of float64[n, k]."""
    parts = fixed_point.split(rows)
    sums = np.zeros((1, parts.values.shape[1]))
    for row in parts.values:
        sums = np.concatenate([sums, sums + row])
    return parts.joined(sums)


def sums_of_random_subsets(rows: Floats, runs: int, seed: int) -> Floats:
    """Return the sums of the rows in random subsets, each row included with probability 1/2: float64[runs, k].

    rows: float64[n, k]. O(runs n / 8) where the columns fit one word, as `sums_of_subsets`; memory is bounded.
    """
    generator = np.random.PCG64(seed)
    parts = fixed_point.split(rows)
    eights, widths = _pack_columns(parts.values)
    sums = [np.zeros(runs, np.int64) for _ in eights]
    n_groups, words = -(-len(rows) // 8), -(-runs // 8)
    at_once = 4 * max(RANDOM_WORDS // (4 * words), 1)
    for first in range(0, n_groups, at_once):
        raw: Any = generator.random_raw(words * min(at_once, n_groups - first))
        choices = raw.astype("<u8", copy=False).view(np.uint8).reshape(-1, 8 * words)[:, :runs]
        _add_subsets(sums, eights, first, choices, n_groups * runs)
    return parts.joined(_unpack_columns(sums, widths))


def sums_of_subsets(rows: Floats, choices: Bytes) -> Floats:
    """Return the sums of chosen rows: float64[runs, k].

    rows: float64[n, k]. choices: uint8[ceil(n / 8), runs]; bit i of choices[g, r] says whether run r includes row 8 g +
    i.
    """
    parts = fixed_point.split(rows)
    eights, widths = _pack_columns(parts.values)
    sums = [np.zeros(choices.shape[1], np.int64) for _ in eights]
    _add_subsets(sums, eights, 0, choices, choices.size)
    return parts.joined(_unpack_columns(sums, widths))


def _add_subsets(sums: list[Packed], eights: list[Packed], first: int, choices: Bytes, n_lookups: int) -> None:
    """Add to `sums` the chosen rows of the groups of eight from `first` on. n_lookups: those of all such calls.

    The sums of all 256 subsets of a group are tabulated. Several integer columns are packed into words of 64 bits, so
    that one lookup serves them all.
    """
    chosen = np.ascontiguousarray(choices)
    for word, total in zip(eights, sums, strict=True):
        eight = word[first : first + len(choices)]
        tables = np.zeros((len(eight), 1), word.dtype)
        for i in range(8):
            tables = np.concatenate([tables, tables + eight[:, i : i + 1]], axis=1)
        if n_lookups >= MIN_COMPILED_DRAWS:
            add_subset_sums(tables, chosen, total)
        else:
            for table, here in zip(tables, chosen, strict=True):
                total += table.take(here)


def _pack_columns(rows: Floats) -> tuple[list[Packed], list[list[int]]]:
    """Return integer columns as words, in groups of eight rows: int64 words of several columns.

    Zeros pad the last group of eight. Beside each word the widths in bits of its columns, from the lowest bits on. A
    width suffices for every sum of a subset with its sign.
    """
    words, widths = _pack(rows.astype(np.int64), np.abs(rows).sum(axis=0), WORD_BITS)
    padding = -len(rows) % 8
    eights = [np.concatenate([word, np.zeros(padding, word.dtype)]).reshape(-1, 8) for word in words]
    return eights, widths


def _pack(rows: npt.NDArray[Any], bounds: Floats, bits: int) -> tuple[list[Packed], list[list[int]]]:
    """Return columns of whole numbers as words of several, and the widths in bits of the columns in each.

    bounds: the most that a column can sum to, which its width holds with a sign; bits: the usable ones of a word.
    """
    words: list[Packed] = []
    widths: list[list[int]] = []
    for column, bound in zip(rows.T, bounds.tolist(), strict=True):
        width = 2 + int(bound).bit_length()
        if words and sum(widths[-1]) + width <= bits:
            words[-1] = words[-1] + column * rows.dtype.type(1 << sum(widths[-1]))
            widths[-1].append(width)
        else:
            words.append(column)
            widths.append([width])
    return words, widths


def _unpack_columns(sums: list[Packed], widths: list[list[int]]) -> Floats:
    """Return the columns of words of sums: float64[runs, k]."""
    columns = np.empty((sum(map(len, widths)), len(sums[0]) if sums else 0))
    at = 0
    for rest, inside in zip(sums, widths, strict=True):
        for last, width in zip([False] * (len(inside) - 1) + [True], inside, strict=True):
            column = (rest << (64 - width)) >> (64 - width)
            columns[at] = column
            at += 1
            if not last:
                rest = (rest - column) >> width
    return columns.T


def bootstrap_sums(rows: Floats, runs: int, seed: int) -> Floats:
    """Return the sums of n rows drawn with replacement from n (bootstrap): float64[runs, k] of float64[n, k].

    O(runs n k); memory is bounded. The relative error of a row's probability is at most n / 2**32.
    """
    n = len(rows)
    generator = np.random.PCG64(seed)
    words = -(-n // 2)
    parts = fixed_point.split(rows)
    packed = _pack_drawn(parts.values, n)
    count = _count_words_of_many if runs * n >= MIN_COMPILED_DRAWS else _count_words
    most = MAX_DRAWS if parts.values.shape[1] < FEW_COLUMNS and n * runs < MIN_COMPILED_DRAWS else MAX_DRAWS_OF_MANY
    per_block = max(most // max(n, 1), 1)
    sums = np.zeros((parts.values.shape[1], runs)).T  # columns are used one by one
    for first in range(0, runs, per_block):
        block = min(per_block, runs - first)
        raw: Any = generator.random_raw(words * block)
        drawn = raw.astype("<u8", copy=False).view("<u4").reshape(block, 2 * words)
        sums[first : first + block] = _sums_of_counts(*packed, count(drawn, n, packed[0].dtype))
    return parts.joined(sums)


def _count_words(words: npt.NDArray[np.uint32], n: int, precision: npt.DTypeLike) -> Packed:
    """Return how often random words draw each of n rows, [runs, n] of a type. A run uses as many words as rows."""
    draws = words[:, :n].astype(np.uint64)
    draws *= np.uint64(n)
    draws >>= np.uint64(32)
    return _count(draws.view(np.int64), n, precision)


def _count_words_of_many(words: npt.NDArray[np.uint32], n: int, precision: npt.DTypeLike) -> Packed:
    """Return what `_count_words` returns, with a kernel."""
    times = np.empty((len(words), n), precision)
    count_draws(words, n, times)
    return times


def _count(draws: Ints, n: int, precision: npt.DTypeLike) -> Packed:
    """Return how often each of n rows is drawn, [runs, n] of a type, of row numbers int64[runs, m]."""
    runs = len(draws)
    places = draws + np.arange(runs)[:, None] * n
    return np.bincount(places.reshape(-1), minlength=runs * n).reshape(runs, n).astype(precision)


def sums_of_draws(rows: Floats, draws: Ints) -> Floats:
    """Return the sums of the rows drawn: float64[runs, k] of integers float64[n, k] and row numbers int64[runs, m]."""
    packed, widths = _pack_drawn(rows, draws.shape[1])
    return _sums_of_counts(packed, widths, _count(draws, len(rows), packed.dtype))


def _pack_drawn(rows: Floats, n_draws: int) -> tuple[Packed, list[list[int]]]:
    """Return columns of whole numbers, of which so many rows are drawn, as fewer columns, and the widths in each:
    several are packed into one double, so that a product serves them all, unless single precision holds each."""
    bounds = np.abs(rows).max(axis=0, initial=0) * n_draws
    words, widths = _pack(rows, bounds, DOUBLE_BITS)
    if len(bounds) <= MAX_SINGLES * len(words) and bounds.max(initial=0) < SINGLE:
        return rows.astype(np.float32), [[width] for inside in widths for width in inside]
    return np.stack(words, axis=1) if words else rows, widths


def _sums_of_counts(packed: Packed, widths: list[list[int]], times: Packed) -> Floats:
    """Return the sums of packed columns whose rows are drawn so many times, [runs, n]: float64[runs, k]."""
    sums = _product(times, packed)
    if len(widths) == sum(map(len, widths)):
        return sums
    return _unpack_columns(list(sums.astype(np.int64).T), widths)


def _product(times: npt.NDArray[Any], rows: npt.NDArray[Any]) -> Floats:
    """Return the matrix product of whole numbers, in parts so small that BLAS starts no threads: those of a product
    with few columns mostly wait for each other. A part has all runs, but where it would have too few rows, it is a
    tile of few runs."""
    products = np.zeros((len(times), rows.shape[1]), rows.dtype)
    runs, columns, at_once = len(times), rows.shape[1], MAX_PRODUCTS_OF_ONE_THREAD // max(products.size, 1)
    if at_once < MIN_ROWS_AT_ONCE:
        at_once, columns = SIDE_OF_TILES, min(columns, SIDE_OF_TILES)
        runs = MAX_PRODUCTS_OF_ONE_THREAD // (at_once * columns)
    for run in range(0, len(times), max(runs, 1)):
        for column in range(0, rows.shape[1], max(columns, 1)):
            sums = products[run : run + runs, column : column + columns]
            for first in range(0, len(rows), at_once):
                some = rows[first : first + at_once, column : column + columns]
                sums += times[run : run + runs, first : first + at_once] @ some
    return products.astype(np.float64)


def _convolve(distribution: Floats, taps: Floats, step: int) -> Floats:
    """Return the convolution with taps that are `step` apart."""
    length = len(distribution) + step * (len(taps) - 1)
    convolution = np.zeros(length)
    if len(taps) <= step:
        for at, tap in enumerate(taps):
            convolution[at * step : at * step + len(distribution)] += tap * distribution
    else:
        for rest in range(min(step, len(distribution))):
            part = np.convolve(distribution[rest::step], taps)
            convolution[rest::step][: len(part)] = part
    return convolution


def _trim_zeros(values: Floats) -> tuple[int, Floats]:
    """Return the values without zeros at both ends, and the number dropped at the beginning."""
    places = np.flatnonzero(values)
    return int(places[0]), values[places[0] : places[-1] + 1]


@compiled
def count_draws(words: npt.NDArray[np.uint32], n_rows: int, times: Packed) -> None:
    """Write how often each of n rows is drawn in every run: times[r, row], of draws words[r, i] * n >> 32.

    words: uint32[runs, n or more], of which n are used; times: [runs, n], of floats that hold n. O(runs n).
    """
    wide = np.uint64(n_rows)
    for run in range(len(times)):
        for row in range(n_rows):
            times[run, row] = 0
        for at in range(n_rows):
            times[run, (np.uint64(words[run, at]) * wide) >> np.uint64(32)] += 1


@compiled
def add_subset_sums(tables: npt.NDArray[Any], choices: npt.NDArray[np.uint8], sums: npt.NDArray[Any]) -> None:
    """Add to sums[r] the entries tables[g, choices[g, r]] of all groups g.

    tables: int64 or float64[groups, 256]; choices: uint8[groups, runs]; sums: [runs], of the tables' type. O(groups
    runs). Four groups are processed at a time, which reduces reads and writes of `sums`.
    """
    groups, runs = len(choices), len(sums)
    for g in range(0, groups - 3, 4):
        for r in range(runs):
            sums[r] += (
                tables[g, choices[g, r]]
                + tables[g + 1, choices[g + 1, r]]
                + tables[g + 2, choices[g + 2, r]]
                + tables[g + 3, choices[g + 3, r]]
            )
    for g in range(groups - groups % 4, groups):
        for r in range(runs):
            sums[r] += tables[g, choices[g, r]]
