"""The test of two systems for counts that were made elsewhere."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from treesql.catalog.header import Score
from treesql.errors import QueryError, UnknownName, UsageError
from treesql.results.result import Result
from treesql.runtime.failures import convert_errors
from treesql.significance.methods import RUNS, SEED, Method
from treesql.significance.tests import Counts, evaluate_scores, shuffling_test

_ROWS = pa.schema(
    {"metric": pa.string(), "system_a": pa.string(), "system_b": pa.string()}
    | {name: pa.float64() for name in ("score_a", "score_b", "difference", "p")}
    | {"test": pa.string()}
)


@convert_errors
def compare_counts(
    systems: Mapping[str, Mapping[str, npt.ArrayLike]],
    scores: Mapping[str, str],
    *,
    runs: int = RUNS,
    seed: int = SEED,
) -> Result:
    """Test whether systems differ by more than chance, by shuffling counts per sentence: a row per score and pair.

    systems: by name, the counts by column, arrays with a number for every sentence. scores: by name, an SQL expression
    over sums of these columns, such as `2 * sum(hits) / nullif(sum(found) + sum(gold), 0)`. runs, seed: of random
    exchanges. Raises UsageError, UnknownName,
    QueryError.
    """
    if len(systems) < 2 or not scores:
        raise UsageError("a comparison takes two systems and a score at least")
    Method(runs=runs, seed=seed)  # checks both
    counts = {name: Counts.of(columns) for name, columns in systems.items()}
    shapes = {
        (tuple(column.name for column in system_counts.columns), len(system_counts.values))
        for system_counts in counts.values()
    }
    if len(shapes) > 1:
        raise UsageError("systems have the same columns and the same number of sentences")
    wanted = [Score(name, "number", expression, "") for name, expression in scores.items()]
    known = [column.name for column in next(iter(counts.values())).columns]
    for name in (name for score in wanted for name in score.counts if name not in known):
        raise UnknownName("count", name, known)
    try:
        values = {
            name: evaluate_scores(wanted, system_counts.columns, system_counts.sums)[0]
            for name, system_counts in counts.items()
        }
        tested = {
            (a, b): shuffling_test(wanted, counts[a], counts[b], runs=runs, seed=seed)
            for a, b in itertools.combinations(counts, 2)
        }
    except duckdb.Error as error:
        raise QueryError(str(error), ", ".join(scores.values())) from None
    rows = [
        {"metric": score.name, "system_a": a, "system_b": b, "p": results[at].p, "test": results[at].test}
        | {"score_a": _or_none(values[a][at]), "score_b": _or_none(values[b][at])}
        | {"difference": _or_none(values[a][at] - values[b][at])}
        for at, score in enumerate(wanted)
        for (a, b), results in tested.items()
    ]
    return Result(pa.Table.from_pylist(rows, _ROWS))


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
