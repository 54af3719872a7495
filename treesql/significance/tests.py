"""Whether two systems differ by more than chance: tests and intervals from counts that are summed per sentence.

Nothing here knows any metric. A score is an SQL expression over sums, which DuckDB evaluates on sums that were
resampled, a row per run. Rows of counts are sentences, or whatever is exchanged and drawn as a whole (strata).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import duckdb
import numpy as np
import numpy.typing as npt

from treesql.catalog.header import Column, Score
from treesql.errors import UsageError
from treesql.kernels import fixed_point, resampling
from treesql.kernels.arrays import Flags, Floats, Ints
from treesql.significance import expressions

TESTS = ("shuffling", "bootstrap", "mcnemar", "mcnemar-chi2", "mcnemar-mid-p")
CORRECTIONS = ("holm", "bonferroni", "bh", "by", "none")
RUNS = 10_000
SEED = 12345
LEVEL = 0.05
"""Below it a difference is called significant, and intervals leave out as much."""

WIDEST = 4_000_000
"""The greatest sum of differences whose distribution is computed exactly."""

TIE = 1e-10
"""Scores that differ by less than this share of themselves are the same: floating point numbers are not exact."""


@dataclass(frozen=True)
class Method:
    """How to compare: the test, the runs of shuffling and bootstrap, their seed, the correction for several pairs, and
    the column of sentences whose equal values are exchanged and drawn together. Raises UsageError.
    """

    test: str = "shuffling"
    runs: int = RUNS
    seed: int = SEED
    correction: str = "holm"
    stratum: str | None = None

    def __post_init__(self) -> None:
        for what, given, known in (("test", self.test, TESTS), ("correction", self.correction, CORRECTIONS)):
            if given not in known:
                raise UsageError(f"there is no {what} {given!r}; choose one of {', '.join(known)}")
        if self.runs < 1:
            raise UsageError("a test has at least 1 run")
        if not 0 <= self.seed < 2**128:
            raise UsageError("a seed is a number from 0 on")
        if self.stratum and self.test.startswith("mcnemar"):
            raise UsageError("McNemar's test counts items, whatever sentences they stand in; strata are for shuffling")


@dataclass(frozen=True)
class Counts:
    """What was counted of one system: float64[rows, columns], the same rows for all systems that are compared."""

    columns: tuple[Column, ...]
    values: Floats

    @classmethod
    def of(cls, arrays: Mapping[str, npt.ArrayLike]) -> Counts:
        """Counts from arrays of one length: whole numbers and, if their type is such, others."""
        found = {name: np.asarray(array) for name, array in arrays.items()}
        if len({array.shape for array in found.values()}) != 1 or next(iter(found.values())).ndim != 1:
            raise UsageError("counts are arrays of one length, a number for every sentence")
        kinds = {name: "BIGINT" if array.dtype.kind in "iub" else "DOUBLE" for name, array in found.items()}
        columns = tuple(Column(name, kind, name) for name, kind in kinds.items())
        values = np.stack([array.astype(np.float64) for array in found.values()], axis=1)
        if not np.isfinite(values).all():
            raise UsageError("counts are finite numbers; leave sentences without a value out")
        return cls(columns, values)

    @property
    def sums(self) -> Floats:
        """The sum of every column: float64[1, columns]."""
        return fixed_point.total(self.values)

    @property
    def totals(self) -> dict[str, float]:
        """The sum of every column, by its name."""
        return {column.name: float(total) for column, total in zip(self.columns, self.sums[0], strict=True)}

    def strata(self, numbers: Ints) -> Counts:
        """The rows with the same number summed."""
        n_strata = int(numbers.max(initial=-1)) + 1
        return Counts(self.columns, fixed_point.total_by_group(self.values, numbers, n_strata))


@dataclass(frozen=True)
class Tested:
    """A p-value, and the test that it comes from. p is None where a score has no value."""

    p: float | None
    test: str


def evaluate_scores(
    connection: duckdb.DuckDBPyConnection, scores: Sequence[Score], columns: Sequence[Column], sums: Floats
) -> Floats:
    """Scores of rows of sums: float64[rows, scores] of float64[rows, columns]; NaN stands for NULL."""
    return _scores(connection, scores, {column.name: sums[:, at] for at, column in enumerate(columns)})


def shuffling_test(
    connection: duckdb.DuckDBPyConnection,
    scores: Sequence[Score],
    a: Counts,
    b: Counts,
    *,
    runs: int = RUNS,
    seed: int = SEED,
) -> list[Tested]:
    """Stratified shuffling: if both systems were equally good, their rows could be exchanged; two-sided, a p per score.

    A p-value is the share of exchanges after which the scores are at least as far apart as they are. Of all 2**n
    exchanges where a score is linear in whole numbers that differ (`exact shuffling`: by convolution) or where no more
    than `runs` exchanges differ (all are tried); else of `runs` random ones, with 1 added to both counts. An exchange
    after which a score has no value counts as far apart. Noreen 1989; Bikel's compare.pl; Phipson & Smyth 2010 (the 1).
    """
    differences = a.values - b.values
    differences = differences[np.any(differences != 0, axis=1)]
    observed = evaluate_scores(connection, scores, a.columns, np.concatenate([a.sums, b.sums]))
    tested = [_exact_p(connection, score, a, differences, observed[:, at]) for at, score in enumerate(scores)]
    if all(one is not None for one in tested):
        return [one for one in tested if one is not None]
    every = 2 ** len(differences) <= runs
    varying = np.any(differences != 0, axis=0)
    some = differences[:, varying]
    moved = resampling.sums_of_all_subsets(some) if every else resampling.sums_of_random_subsets(some, runs, seed)
    after = [
        _scores(connection, scores, _exchanged_sums(side, add, moved, varying))
        for side, add in ((a, np.subtract), (b, np.add))
    ]
    apart = np.abs(after[0] - after[1])
    least = np.abs(observed[0] - observed[1]) - _ties(observed)
    extreme = np.count_nonzero(~(apart < least), axis=0) + (not every)
    name = "exact shuffling" if every else "stratified shuffling"
    p = extreme / (len(moved) + (not every))
    return [one or Tested(float(p[at]), name) for at, one in enumerate(tested)]


def correct_p_values(p: Sequence[float | None], how: str) -> list[float | None]:
    """p-values corrected for their number; None stays None and is not counted.

    how: `holm` (Holm 1979) and `bonferroni` bound the probability of any false alarm, `bh` (Benjamini & Hochberg 1995)
    and `by` (Benjamini & Yekutieli 2001: under any dependence) the share of false alarms; `none`.
    """
    known = np.array([one for one in p if one is not None])
    m = len(known)
    order = np.argsort(known, kind="stable")
    rank = np.arange(1, m + 1)
    if how == "bonferroni":
        found = m * known[order]
    elif how == "holm":
        found = np.maximum.accumulate((m - rank + 1) * known[order])
    elif how in ("bh", "by"):
        harmonic = np.sum(1 / rank) if how == "by" else 1.0
        found = np.minimum.accumulate((harmonic * m / rank * known[order])[::-1])[::-1]
    elif how == "none":
        found = known[order]
    else:
        raise UsageError(f"there is no correction {how!r}; choose one of {', '.join(CORRECTIONS)}")
    back = np.empty(m)
    back[order] = np.minimum(found, 1.0)
    rest = iter(back)
    return [None if one is None else float(next(rest)) for one in p]


def constant_sums(counts: Counts, varying: Flags) -> dict[str, Fraction]:
    """The sums of the columns that do not vary, by name."""
    pairs = zip(counts.columns, counts.sums[0], varying, strict=True)
    return {column.name: Fraction(float(total)) for column, total, varies in pairs if not varies}


def _scores(connection: duckdb.DuckDBPyConnection, scores: Sequence[Score], sums: Mapping[str, Floats]) -> Floats:
    """Scores of sums by name: float64[rows, scores] of float64[rows]."""
    return np.array([expressions.values(connection, score, sums) for score in scores]).T


def _exchanged_sums(
    side: Counts, add: Callable[[float, Floats], Floats], moved: Floats, varying: Flags
) -> dict[str, Floats]:
    """A system's sums, by name, after exchanges that add, or take away, float64[runs, k] of its k varying columns."""
    added = iter(moved.T)
    return {
        column.name: add(total, next(added)) if varies else np.full(len(moved), total)
        for column, total, varies in zip(side.columns, side.sums[0], varying, strict=True)
    }


def _ties(observed: Floats) -> Floats:
    """How far apart two scores are still the same."""
    found: Floats = TIE * np.nan_to_num(np.abs(observed)).max(axis=0)
    return found


def _exact_p(
    connection: duckdb.DuckDBPyConnection, score: Score, a: Counts, differences: Floats, observed: Floats
) -> Tested | None:
    """The p-value over all exchanges, if it can be had without trying each; without one where a score has no value."""
    if np.isnan(observed).any():
        return Tested(None, "exact shuffling")
    varying = np.any(differences != 0, axis=0)
    weights = expressions.coefficients(connection, score, constant_sums(a, varying))
    if weights is None:
        return None
    if not weights:
        return Tested(1.0, "exact shuffling")
    names = [column.name for column in a.columns]
    moved = differences[:, [names.index(name) for name in weights]]
    unit = Fraction(
        math.gcd(*(weight.numerator for weight in weights.values())),
        math.lcm(*(weight.denominator for weight in weights.values())),
    )
    units = [int(weight / unit) for weight in weights.values()]
    reach = sum(abs(float(unit)) * float(np.abs(column).sum()) for unit, column in zip(units, moved.T, strict=True))
    if reach > WIDEST or (moved != np.rint(moved)).any():
        return None
    return Tested(resampling.exchange_p_value(moved.astype(np.int64) @ np.array(units)), "exact shuffling")
