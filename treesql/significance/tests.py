"""Tests of whether two systems differ by more than chance, from counts summed per sentence.

Tests know no metric: a score is an SQL expression over sums, evaluated on resampled sums, a row per run. Rows of counts
are sentences, or strata of sentences that are exchanged and resampled as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from treesql.catalog.header import Column, Score
from treesql.errors import UsageError
from treesql.kernels.arrays import Flags, Floats, Ints
from treesql.kernels.sampling import fixed_point, resampling
from treesql.significance import expressions
from treesql.significance.methods import CORRECTIONS, RUNS, SEED

MAX_EXACT_SUM = 4_000_000
"""Maximum sum of differences whose distribution is computed exactly."""

TIE = 1e-10
"""Share of a score below which differences are ties: floating point numbers are not exact."""


@dataclass(frozen=True)
class Counts:
    """Counts of one system: float64[rows, columns], the same rows for all systems that are compared."""

    columns: tuple[Column, ...]
    values: Floats

    @classmethod
    def of(cls, arrays: Mapping[str, npt.ArrayLike]) -> Counts:
        """Return counts from arrays of one length, integers or floating point numbers. Raises UsageError."""
        counts = {name: np.asarray(array) for name, array in arrays.items()}
        if len({array.shape for array in counts.values()}) != 1 or next(iter(counts.values())).ndim != 1:
            raise UsageError("counts are arrays of one length, a number for every sentence")
        kinds = {name: "BIGINT" if array.dtype.kind in "iub" else "DOUBLE" for name, array in counts.items()}
        columns = tuple(Column(name, kind, name) for name, kind in kinds.items())
        values = np.stack([array.astype(np.float64) for array in counts.values()], axis=1)
        if not np.isfinite(values).all():
            raise UsageError("counts are finite numbers; leave sentences without a value out")
        return cls(columns, values)

    @property
    def sums(self) -> Floats:
        """Sum of every column: float64[1, columns]."""
        return fixed_point.total(self.values)

    @property
    def totals(self) -> dict[str, float]:
        """Sum of every column, by its name."""
        return {column.name: float(total) for column, total in zip(self.columns, self.sums[0], strict=True)}

    def strata(self, numbers: Ints) -> Counts:
        """Return the counts with the rows of each number summed."""
        n_strata = int(numbers.max(initial=-1)) + 1
        return Counts(self.columns, fixed_point.total_by_group(self.values, numbers, n_strata))


@dataclass(frozen=True)
class TestedScore:
    """A score's p-value and the name of the test. p is None if the score has no value."""

    p: float | None
    test: str


def evaluate_scores(scores: Sequence[Score], columns: Sequence[Column], sums: Floats) -> Floats:
    """Return scores of rows of sums: float64[rows, scores] of float64[rows, columns]; NaN for NULL."""
    return _scores(scores, {column.name: sums[:, at] for at, column in enumerate(columns)})


def shuffling_test(
    scores: Sequence[Score],
    a: Counts,
    b: Counts,
    *,
    runs: int = RUNS,
    seed: int = SEED,
) -> list[TestedScore]:
    """Return a two-sided p per score by stratified shuffling: equally good systems can exchange their rows.

    A p-value is the share of exchanges after which the scores are at least as far apart as they are. Of all 2**n
    exchanges where a score is linear in whole numbers that differ (`exact shuffling`: by convolution) or where no more
    than `runs` exchanges differ (all are tried); else of `runs` random ones, with 1 added to both counts. An exchange
    after which a score has no value counts as far apart. Noreen 1989; Bikel's compare.pl; Phipson & Smyth 2010 (the 1).
    """
    differences = a.values - b.values
    differences = differences[np.any(differences != 0, axis=1)]
    observed = evaluate_scores(scores, a.columns, np.concatenate([a.sums, b.sums]))
    tested = [_exact_p(score, a, differences, observed[:, at]) for at, score in enumerate(scores)]
    if all(result is not None for result in tested):
        return [result for result in tested if result is not None]
    exact = 2 ** len(differences) <= runs
    varying = np.any(differences != 0, axis=0)
    varied = differences[:, varying]
    exchanged = (
        resampling.sums_of_all_subsets(varied) if exact else resampling.sums_of_random_subsets(varied, runs, seed)
    )
    whole = np.zeros((len(exchanged), len(varying)))
    whole[:, varying] = exchanged
    name = "exact shuffling" if exact else "stratified shuffling"
    p = share_as_far_apart(observed, exchanged_scores(scores, a, b, whole), exact=exact)
    return [result or TestedScore(float(p[at]), name) for at, result in enumerate(tested)]


def exchanged_scores(scores: Sequence[Score], a: Counts, b: Counts, exchanged: Floats) -> list[Floats]:
    """Return the scores of two systems after exchanges that move float64[runs, columns] from a to b, each
    float64[runs, scores]."""
    varying = np.any(exchanged != 0, axis=0)
    sides = [
        _exchanged_sums(side, add, exchanged[:, varying], varying) for side, add in ((a, np.subtract), (b, np.add))
    ]
    both = {name: np.concatenate([side[name] for side in sides]) for name in sides[0]}
    evaluated = _scores(scores, both)  # of both at once: long expressions take long to plan
    return [evaluated[: len(exchanged)], evaluated[len(exchanged) :]]


def share_as_far_apart(observed: Floats, after: Sequence[Floats], *, exact: bool) -> Floats:
    """Return for every score the share of exchanges after which two systems are at least as far apart as observed.

    observed: float64[2, scores]; after: of each system float64[runs, scores]; exact: whether these are all exchanges;
    if not, 1 is added to both counts. NaN where an observed score has no value.
    """
    apart = np.abs(after[0] - after[1])
    threshold = np.abs(observed[0] - observed[1]) - _tie_widths(observed)
    extreme = np.count_nonzero(~(apart < threshold), axis=0) + (not exact)
    share: Floats = np.where(np.isnan(observed).any(axis=0), np.nan, extreme / (len(apart) + (not exact)))
    return share


def correct_p_values(p: Sequence[float | None], method: str) -> list[float | None]:
    """Return p-values corrected for their number; None stays None and is not counted.

    method: `holm` (Holm 1979) and `bonferroni` bound the probability of any false alarm, `bh` (Benjamini & Hochberg
    1995) and `by` (Benjamini & Yekutieli 2001: under any dependence) the share of false alarms; `none`.
    """
    known = np.array([value for value in p if value is not None])
    m = len(known)
    order = np.argsort(known, kind="stable")
    rank = np.arange(1, m + 1)
    if method == "bonferroni":
        corrected = m * known[order]
    elif method == "holm":
        corrected = np.maximum.accumulate((m - rank + 1) * known[order])
    elif method in ("bh", "by"):
        harmonic = np.sum(1 / rank) if method == "by" else 1.0
        corrected = np.minimum.accumulate((harmonic * m / rank * known[order])[::-1])[::-1]
    elif method == "none":
        corrected = known[order]
    else:
        raise UsageError(f"there is no correction {method!r}; choose one of {', '.join(CORRECTIONS)}")
    back = np.empty(m)
    back[order] = np.minimum(corrected, 1.0)
    rest = iter(back)
    return [None if value is None else float(next(rest)) for value in p]


def _constant_sums(counts: Counts, varying: Flags) -> dict[str, Fraction]:
    """Return the sums of the columns that do not vary, by name."""
    pairs = zip(counts.columns, counts.sums[0], varying, strict=True)
    return {column.name: Fraction(float(total)) for column, total, varies in pairs if not varies}


def _scores(scores: Sequence[Score], sums: Mapping[str, Floats]) -> Floats:
    """Return scores of sums by name: float64[rows, scores] of float64[rows]."""
    return np.array([expressions.values(score, sums) for score in scores]).T


def _exchanged_sums(
    side: Counts, add: Callable[[float, Floats], Floats], exchanged: Floats, varying: Flags
) -> dict[str, Floats]:
    """Return a system's sums, by name, after exchanges that change its k varying columns by float64[runs, k]."""
    added = iter(exchanged.T)
    return {
        column.name: add(total, next(added)) if varies else np.full(len(exchanged), total)
        for column, total, varies in zip(side.columns, side.sums[0], varying, strict=True)
    }


def _tie_widths(observed: Floats) -> Floats:
    """Return the differences below which two scores are ties."""
    widths: Floats = TIE * np.nan_to_num(np.abs(observed)).max(axis=0)
    return widths


def _exact_p(score: Score, a: Counts, differences: Floats, observed: Floats) -> TestedScore | None:
    """Return the p-value over all exchanges if it can be computed without trying each, else None."""
    if np.isnan(observed).any():
        return TestedScore(None, "exact shuffling")
    varying = np.any(differences != 0, axis=0)
    weights = expressions.coefficients(score, _constant_sums(a, varying))
    if weights is None:
        return None
    if not weights:
        return TestedScore(1.0, "exact shuffling")
    names = [column.name for column in a.columns]
    weighted = differences[:, [names.index(name) for name in weights]]
    unit = Fraction(
        math.gcd(*(weight.numerator for weight in weights.values())),
        math.lcm(*(weight.denominator for weight in weights.values())),
    )
    units = [int(weight / unit) for weight in weights.values()]
    reach = sum(abs(float(unit)) * float(np.abs(column).sum()) for unit, column in zip(units, weighted.T, strict=True))
    if reach > MAX_EXACT_SUM or (weighted != np.rint(weighted)).any():
        return None
    return TestedScore(resampling.exchange_p_value(weighted.astype(np.int64) @ np.array(units)), "exact shuffling")
