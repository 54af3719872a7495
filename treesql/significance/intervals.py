"""Bootstrap intervals of scores and of differences of scores."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np
import pyarrow as pa

from treesql.catalog import Query
from treesql.engines import Engine
from treesql.errors import Diagnostic, UsageError, Warn
from treesql.kernels.arrays import Flags, Floats
from treesql.kernels.sampling import resampling
from treesql.results import signature_text
from treesql.results.result import Result
from treesql.scoring import scores as scoring_scores
from treesql.scoring.items import ScoringPlan
from treesql.scoring.scores import SentenceSums
from treesql.significance.methods import LEVEL, RUNS, SEED
from treesql.significance.strata import Values, align_sentences, find_gold_corpus
from treesql.significance.tests import TIE, evaluate_scores

MIN_SENTENCES = 50
"""Number of sentences (or strata) below which a warning is given: intervals are too narrow, and differences must be
large to be found."""

SINGULAR = {"sentences": "sentence", "strata": "stratum"}
"""Units of resampling, in the singular."""

Observe = Callable[[Query, int, Mapping[int, Floats]], object]
"""Called with a metric, the number of a group, and by the numbers of systems their resampled sums of the group."""

MAX_COLUMNS = 512
"""Maximum number of columns that are resampled together: 40 MB of sums for 10,000 runs."""

MAX_BYTES_KEPT = 64_000_000
"""Maximum size of resampled sums that are kept in a block of `drawing_once`."""

_kept: ContextVar[dict[bytes, Floats] | None] = ContextVar("_kept", default=None)
"""The resampled sums of columns by a digest of these, the number of runs and the seed; None where none are kept."""

MAX_GROUPS = 100
"""Maximum number of groups with intervals."""


def add_intervals(
    engine: Engine,
    results: Sequence[Result],
    metrics: Sequence[str],
    values: Sequence[Values],
    *,
    by: Sequence[str] = (),
    where: str | None = None,
    warn: Warn = lambda warning: None,
    plans: Sequence[ScoringPlan | None] = (),
    observe: Observe = lambda query, group, sums: None,
) -> list[Result]:
    """Return the results of `scores.score` with SCORE_low and SCORE_high after each score.

    results, values: for every system of one gold corpus, its scores and the values of the metrics' parameters. by,
    where: as in `score`; plans: as there, of every system. observe: called with the resampled sums. Raises UsageError
    if nothing can be resampled, or there are too many groups, and what `score` raises.
    """
    if "sentence" in by:
        raise UsageError("--ci resamples sentences; a row per sentence leaves nothing to resample")
    if max(map(len, results)) > MAX_GROUPS:
        raise UsageError(f"--ci is for {MAX_GROUPS} groups at most; select some of them with --where")
    summed = [
        scoring_scores.sentence_sums(engine, metrics, parameters, by=by, where=where, plan=plan)
        for parameters, plan in zip(values, plans or [None] * len(values), strict=True)
    ]
    firsts = [np.any(aligned.values, axis=(1, 2)) for aligned in align_sentences(sums[0] for sums in summed)]
    few = few_sentences_warning(find_gold_corpus(summed[0][0].query, {"": values[0]}), firsts, "sentences")
    if few:
        warn(few)
    bounds: list[dict[str, list[float | None]]] = [{} for _ in results]
    for query, group, having, resampled in _resample_groups(summed):
        of_rows = dict(zip(having, resampled, strict=True))
        of_rows = {system: runs for system, runs in of_rows.items() if group < len(results[system])}  # no row, no items
        observe(query, group, of_rows)
        for system, runs in of_rows.items():
            for score, column in zip(query.ratios, evaluate_scores(query.ratios, query.counts, runs).T, strict=True):
                low, high = percentile_interval(column)
                bounds[system].setdefault(f"{score.name}_low", []).append(low)
                bounds[system].setdefault(f"{score.name}_high", []).append(high)
    return [_insert_intervals(result, ends) for result, ends in zip(results, bounds, strict=True)]


def _resample_groups(
    summed: Sequence[Sequence[SentenceSums]],
) -> Iterator[tuple[Query, int, list[int], list[Floats]]]:
    """Yield for every metric and group the numbers of the systems that have it, and their resampled sums.

    summed: by system and metric. Groups are resampled together up to MAX_COLUMNS columns.
    """
    waiting: list[tuple[Query, int, list[int], list[Floats]]] = []
    for at, first in enumerate(summed[0]):
        of_systems = [aligned.values for aligned in align_sentences(sums[at] for sums in summed)]
        for group in range(max(values.shape[1] for values in of_systems)):
            having = [system for system, values in enumerate(of_systems) if group < values.shape[1]]
            waiting.append((first.query, group, having, [of_systems[system][:, group] for system in having]))
            if sum(values.shape[1] for *_, counts in waiting for values in counts) >= MAX_COLUMNS:
                yield from _resample_waiting(waiting)
                waiting = []
    yield from _resample_waiting(waiting)


def _resample_waiting(
    waiting: Sequence[tuple[Query, int, list[int], list[Floats]]],
) -> Iterator[tuple[Query, int, list[int], list[Floats]]]:
    resampled = resample_together([values for *_, counts in waiting for values in counts], RUNS, SEED)
    for query, group, having, counts in waiting:
        yield query, group, having, [next(resampled) for _ in counts]


def few_sentences_warning(gold: str, counted: Sequence[Flags], unit: str, ci: bool = True) -> Diagnostic | None:
    """Return a warning if few sentences or strata have scored items.

    counted: by system, which of them have. ci: whether there are intervals.
    """
    n, n_all = int(np.count_nonzero(np.any(counted, axis=0))), len(counted[0])
    if n >= MIN_SENTENCES:
        return None
    having = "" if n == n_all else f" of {n_all} {'has' if n == 1 else 'have'} scored items"
    few = f"only {n} {SINGULAR[unit] if n == 1 else unit}{having}"
    narrow = "intervals of the bootstrap are too narrow, and " if ci else ""
    what = f"{few}, so that {narrow}small differences are not found"
    return Diagnostic.warning(gold, 0, what, f"compare on {MIN_SENTENCES} at least")


@contextmanager
def drawing_once() -> Iterator[None]:
    """Keep the resampled sums of the block: those of equal columns, as of intervals and of tests, are drawn once."""
    before = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(before)


def resample_together(arrays: Sequence[Floats], runs: int, seed: int) -> Iterator[Floats]:
    """Yield for each array the sums of rows drawn with replacement, the same draws for all: float64[runs, columns].

    arrays: float64[sentences, columns]. Equal columns are resampled once. Efron & Tibshirani 1993; Koehn 2004.
    """
    kept = _kept.get()
    sums = {} if kept is None else dict(kept)
    keys = [[_digest_of(column, runs, seed) for column in array.T] for array in arrays]
    every_column = (column for array in arrays for column in array.T)
    of_keys = zip(itertools.chain.from_iterable(keys), every_column, strict=True)
    new = {key: column for key, column in of_keys if key not in sums}
    columns = list(new.values())
    drawn = (
        resampling.bootstrap_sums(np.stack(columns[first : first + MAX_COLUMNS], axis=1), runs, seed).T
        for first in range(0, len(columns), MAX_COLUMNS)
    )
    sums.update(zip(new, itertools.chain.from_iterable(drawn), strict=True))
    if kept is not None and len(sums) * runs * np.dtype(float).itemsize <= MAX_BYTES_KEPT:
        kept.update(sums)
    for of_array in keys:
        yield np.stack([sums[key] for key in of_array]).T if of_array else np.empty((runs, 0))


def _digest_of(column: Floats, runs: int, seed: int) -> bytes:
    return hashlib.blake2b(b"%d %d " % (runs, seed) + column.tobytes(), digest_size=16).digest()


def percentile_interval(values: Floats) -> tuple[float | None, float | None]:
    """Return the 2.5th and the 97.5th percentile of the values that are not NaN; None if there are none."""
    known = values[~np.isnan(values)]
    if not len(known):
        return None, None
    low, high = np.percentile(known, [100 * LEVEL / 2, 100 - 100 * LEVEL / 2])
    return float(low), float(high)


def ends_of_known(values: Sequence[float | None], ends: Sequence[float | None]) -> list[float | None]:
    """Return the ends of intervals beside values: what has none has no interval, though some of its samples may."""
    return [None if value is None else end for value, end in itertools.zip_longest(values, ends)]


def count_wins(a: Floats, b: Floats) -> tuple[int, int, int]:
    """Return the numbers of runs in which a is higher, both are equal, and b is higher; runs with NaN do not count."""
    difference = a - b
    tie = TIE * np.maximum(np.abs(a), np.abs(b))
    higher, lower = np.count_nonzero(difference > tie), np.count_nonzero(difference < -tie)
    return int(higher), int(np.count_nonzero(np.abs(difference) <= tie)), int(lower)


def bootstrap_p(a: Floats, b: Floats) -> float | None:
    """Return twice the share of runs whose difference is not on the side of the majority, 1 added to both counts.

    Ties are on neither side. The value is below 0.05 where the percentile interval excludes 0.
    """
    higher, same, lower = count_wins(a, b)
    runs = higher + same + lower
    return min(2 * (min(higher, lower) + same + 1) / (runs + 1), 1.0) if runs else None


def _insert_intervals(result: Result, bounds: Mapping[str, Sequence[float | None]]) -> Result:
    """Return a table of scores with the ends of an interval after every score, and the method in the signatures."""
    table = result.arrow()
    names, columns = [], []
    for name in table.column_names:
        names.append(name)
        columns.append(table[name])
        for end in ("_low", "_high"):
            if f"{name}{end}" in bounds:
                filled = ends_of_known(table[name].to_pylist(), bounds[f"{name}{end}"])
                names.append(f"{name}{end}")
                columns.append(pa.chunked_array([pa.array(filled, pa.float64())]))
    options = [f"bootstrap:{RUNS}", f"seed:{SEED}"]
    cited = {name: signature_text.insert(text, options) for name, text in result.signatures.items()}
    percent = frozenset(f"{name}{end}" for name in result.percent for end in ("", "_low", "_high"))
    return Result(pa.table(columns, names=names), cited, percent, result.directions)
