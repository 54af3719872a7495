"""McNemar's test on the items that only one of two systems has right."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import duckdb

from treesql.catalog import Query
from treesql.catalog.header import Score
from treesql.engines import Engine, connections
from treesql.errors import UsageError
from treesql.kernels.sampling import resampling
from treesql.scoring import scores as scoring_scores
from treesql.significance import correspondence, expressions

CLUSTERING_WARNING = (
    "it takes items for independent, which the words of a sentence are not: on the errors of two real parsers it "
    "rejected about 20% of true null hypotheses at 5%, on made-up errors in clusters 32 to 54%"
)
"""Measured by benchmarks/significance.py; docs/significance.md has the numbers."""

KEY_COLUMNS = 3
"""Number of first columns that usually identify the items of a metric."""

VARIANTS = {"mcnemar": ("exact", "McNemar exact"), "mcnemar-chi2": ("chi2", "McNemar chi-square"),
            "mcnemar-mid-p": ("mid-p", "McNemar mid-p")}  # fmt: skip
"""By option of --test, the kind of p-value and the test's name."""


def count_discordant(
    engine: Engine,
    query: Query,
    scores: Sequence[Score],
    a: Mapping[str, object],
    b: Mapping[str, object],
    where: str | None,
    gold: str,
) -> list[tuple[int, int]]:
    """Return for every score the number of items that only a has right, and the number that only b has right.

    Items are matched by the first columns of the metric's header that identify them. Raises UsageError if the systems
    have different items, or a score is no share of items that are right or wrong.
    """
    counts = [column.name for column in query.counts]
    measured = ", ".join(
        f"count(*) FILTER (a.{c} IS DISTINCT FROM b.{c}), count(*) FILTER (a.{c} = 1 AND b.{c} = 0), "
        f"count(*) FILTER (a.{c} = 0 AND b.{c} = 1), coalesce(CAST(sum(a.{c}) AS DOUBLE), 0)"
        for c in counts
    )
    names = [column.name for column in query.columns if column.name not in counts]
    with connections.connect(few=False) as matching:
        key: list[str] = []
        for columns in (names[:KEY_COLUMNS], names):
            if key:
                break
            for side, values in (("a", a), ("b", b)):
                items = scoring_scores.select_items(engine, query.name, values, [*columns, *counts], where=where)
                corpus = str(values[str(query.reference_corpus)])
                matching.register(side, correspondence.renumber_items(engine, query, items, corpus, gold))
            key = _find_key(matching, columns)
        if not key:
            raise UsageError(f"McNemar's test matches items, and no columns of {query.name} identify them")
        matched = " AND ".join(f"a.{name} IS NOT DISTINCT FROM b.{name}" for name in key)
        sql = f"SELECT count(*), count(a.sentence), count(b.sentence), {measured} FROM a FULL JOIN b ON {matched}"
        n, in_a, in_b, *rest = matching.execute(sql).fetchall()[0]
    if n != in_a or n != in_b:
        raise UsageError(
            f"McNemar's test needs the same items for both systems, and of {query.name} {2 * n - in_a - in_b} occur on "
            "one side only; --test shuffling compares sums"
        )
    counted = {name: rest[4 * at : 4 * at + 4] for at, name in enumerate(counts)}
    known = {name: Fraction(total) for name, (differ, _, _, total) in counted.items() if not differ}
    right = []
    for score in scores:
        weights = expressions.coefficients(score, known)
        names = list(weights or {})
        if (
            weights is None
            or len(names) > 1
            or any(counted[name][0] != counted[name][1] + counted[name][2] for name in names)
        ):
            raise UsageError(
                f"McNemar's test is for shares of items that are right or wrong, and {score.name} of {query.name} is "
                "none; --test shuffling is for every score"
            )
        right.append((counted[names[0]][1], counted[names[0]][2]) if names else (0, 0))
    return right


def mcnemar_p(only_a: int, only_b: int, kind: str = "exact") -> float:
    """Return the two-sided p of McNemar's test, from the numbers of items that only a, and that only b, has right.

    kind: `exact` (binomial), `chi2` (with continuity correction, max(|a-b|-1, 0)**2 / (a+b)) or `mid-p`.
    McNemar 1947; Fagerland, Lydersen & Laake 2013.
    """
    n, fewer = only_a + only_b, min(only_a, only_b)
    if n == 0:
        return 1.0
    if kind == "chi2":
        return math.erfc(math.sqrt(max(abs(only_a - only_b) - 1, 0) ** 2 / n / 2))
    tail = resampling.coin_toss_probabilities(n)[: fewer + 1]
    p = 1.0 if only_a == only_b else min(2 * float(tail.sum()), 1.0)
    return p if kind == "exact" else p - float(tail[-1]) * (0.5 if only_a == only_b else 1.0)


def _find_key(connection: duckdb.DuckDBPyConnection, names: Sequence[str]) -> list[str]:
    """Return the fewest first columns that identify every row of the tables a and b; none if all columns do not."""
    for width in range(1, len(names) + 1):
        key = ", ".join(names[:width])
        distinct = (f"(SELECT count(*) FROM (SELECT DISTINCT {key} FROM {side}))" for side in ("a", "b"))
        whole = (f"(SELECT count(*) FROM {side})" for side in ("a", "b"))
        unique = " AND ".join(f"{some} = {all_of}" for some, all_of in zip(distinct, whole, strict=True))
        if connection.execute(f"SELECT {unique}").fetchall()[0][0]:
            return list(names[:width])
    return []
