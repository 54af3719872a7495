"""Coefficients of correlation of two columns, with two-sided p-values: Pearson's r, Spearman's rho, Kendall's tau-b.

Everything but the p-values of few ranks is computed by scipy, whose permutation test takes .10 s for eight ranks in
place of .03 s, and .001 s from the second time on. Sources: Spearman 1904; Kendall 1945, The treatment of ties in
ranking problems; of intervals, Bonett & Wright 2000, Sample size requirements for estimating Pearson, Kendall and
Spearman correlations.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from treesql.errors import UsageError
from treesql.kernels.arrays import Floats, Ints

METHODS = ("pearson", "spearman", "kendall")
"""Names of coefficients: of the values, of their ranks, and of the order of pairs."""

TITLES = {"pearson": "Pearson's r", "spearman": "Spearman's rho", "kendall": "Kendall's tau-b"}
"""What the coefficients are called."""

MIN_ROWS = 3
"""Minimum number of rows of a coefficient."""

MAX_PERMUTED = 9
"""Maximum number of rows whose orders are all counted for a p; with more, its approximation is close."""

ROUNDING = 1e-12
"""Maximum difference from 1 that is rounding: scipy's coefficients of columns in the same order may be less than 1."""


@dataclass(frozen=True)
class Coefficient:
    """A coefficient from -1 to 1, its two-sided p and the ends of its 95 % interval; None where it is not defined."""

    value: float | None
    p: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class OrderedPairs:
    """Pairs of rows that differ in both columns, and how many of them both columns order alike."""

    pairs: int
    alike: int

    @property
    def share(self) -> float | None:
        """The share of pairs ordered alike, None without pairs."""
        return self.alike / self.pairs if self.pairs else None


def correlate_columns(method: str, a: Sequence[float], b: Sequence[float]) -> Coefficient:
    """The coefficient of two columns of finite numbers, a row each.

    p of ranks: of up to MAX_PERMUTED rows the share of all orders of one column whose coefficient is as far from 0; of
    more, Spearman's rho is compared with Student's t, Kendall's tau-b with its exact distribution (up to 33 rows, no
    ties) or the normal one, whose variance ties reduce. None of fewer than MIN_ROWS rows and of a constant column.
    low, high: as `find_interval` has them. Raises UsageError.
    """
    check_method(method)
    if len(a) != len(b):
        raise UsageError(f"a correlation has as many values in both columns; here are {len(a)} and {len(b)}")
    if len(a) < MIN_ROWS or any(len(set(column)) < 2 for column in (a, b)):
        return Coefficient(None, None)
    value, p = _pearson(a, b) if method == "pearson" else _of_ranks(method, _ranks(a), _ranks(b))
    return (
        Coefficient(value, p, *find_interval(method, value, len(a)))
        if math.isfinite(value)
        else Coefficient(None, None)
    )


def find_interval(method: str, value: float, n: int) -> tuple[float, float] | tuple[None, None]:
    """The ends of the 95 % interval of a coefficient of n rows, by Fisher's z = atanh(value).

    The variance of z is 1 / (n - 3) for Pearson's r, (1 + rho ** 2 / 2) / (n - 3) for Spearman's rho, and
    .437 / (n - 4) for Kendall's tau (Bonett & Wright 2000). None of so few rows that there is no variance, and of
    coefficients of 1 and -1, whose z is infinite.
    """
    rows = n - (4 if method == "kendall" else 3)
    if rows < 1 or abs(value) > 1 - ROUNDING:
        return None, None
    factor = {"pearson": 1.0, "spearman": 1 + value**2 / 2, "kendall": 0.437}[method]
    z, half = math.atanh(value), NormalDist().inv_cdf(0.975) * math.sqrt(factor / rows)
    return math.tanh(z - half), math.tanh(z + half)


def check_method(method: str) -> None:
    """Raises UsageError if there is no such coefficient."""
    if method not in METHODS:
        raise UsageError(f"there is no method {method!r}; choose one of {', '.join(METHODS)}")


def count_ordered_pairs(a: Sequence[float], b: Sequence[float]) -> OrderedPairs:
    """The pairs of rows of two columns of finite numbers: in time n log n, from Kendall's tau-b and the ties."""
    n, ranks, others = len(a), _ranks(a), _ranks(b)
    tied, tied_other = _tied_pairs(ranks), _tied_pairs(others)
    all_pairs = n * (n - 1) // 2
    differing = all_pairs - tied - tied_other + _tied_pairs((2 * n + 1) * ranks + others)
    if not differing:
        return OrderedPairs(0, 0)
    scale = math.sqrt(all_pairs - tied) * math.sqrt(all_pairs - tied_other)
    difference = round(_statistic("kendall", ranks, others) * scale)
    return OrderedPairs(differing, (differing + difference) // 2)


def _pearson(a: Sequence[float], b: Sequence[float]) -> tuple[float, float]:
    from scipy import stats

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stats.NearConstantInputWarning)
        correlation = stats.pearsonr(a, b)
    return float(correlation.statistic), float(correlation.pvalue)


def _of_ranks(method: str, a: Ints, b: Ints) -> tuple[float, float]:
    from scipy import stats

    value = _statistic(method, a, b)
    if len(a) <= MAX_PERMUTED:
        return value, _exact_p(method, a, b)
    return value, float((stats.spearmanr if method == "spearman" else stats.kendalltau)(a, b).pvalue)


def _statistic(method: str, a: Ints, b: Ints) -> float:
    from scipy import stats

    return float((stats.spearmanr if method == "spearman" else stats.kendalltau)(a, b).statistic)


def _exact_p(method: str, a: Ints, b: Ints) -> float:
    """The share of all orders of `b` whose coefficient is as far from 0 as that of its own; whole numbers decide."""
    orders = b[_orders(len(b))]
    if method == "spearman":  # n times the covariance of the ranks: the variances are those of every order
        of_orders = len(a) * (orders @ a) - a.sum() * b.sum()
        observed = len(a) * (b @ a) - a.sum() * b.sum()
    else:
        pairs = list(itertools.combinations(range(len(a)), 2))
        of_orders = sum(np.sign(a[i] - a[j]) * np.sign(orders[:, i] - orders[:, j]) for i, j in pairs)
        observed = sum(np.sign(a[i] - a[j]) * np.sign(b[i] - b[j]) for i, j in pairs)
    return float(np.count_nonzero(np.abs(of_orders) >= abs(observed)) / len(orders))


@lru_cache(maxsize=1)
def _orders(n: int) -> Ints:
    """All orders of n places: int64[n!, n]."""
    return np.array(list(itertools.permutations(range(n))), dtype=np.int64)


def _ranks(column: Sequence[float]) -> Ints:
    """Twice the ranks of values, from 2 on, the mean rank where values are equal: int64[n]."""
    from scipy import stats

    ranks: Floats = stats.rankdata(column, method="average")
    return np.rint(2 * ranks).astype(np.int64)


def _tied_pairs(ranks: Ints) -> int:
    """Number of pairs of equal values."""
    _, counts = np.unique(ranks, return_counts=True)
    return int((counts * (counts - 1) // 2).sum())
