"""McNemar's test on items that one of two systems alone has right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import duckdb

from treesql.catalog import Query
from treesql.catalog.header import Score
from treesql.errors import UsageError
from treesql.kernels import resampling
from treesql.scoring import scores as scoring_scores
from treesql.significance import correspondence, expressions
from treesql.significance.strata import Values

CLUSTERING_WARNING = (
    "it takes items for independent, which the words of a sentence are not: on the errors of two real parsers it "
    "rejected about 20% of true null hypotheses at 5%, on made-up errors in clusters 32 to 54%"
)
"""Measured by benchmarks/significance.py; docs/significance.md has the numbers."""

KEY_COLUMNS = 3
"""So many first columns mostly tell the items of a metric apart."""

VARIANTS = {"mcnemar": ("exact", "McNemar exact"), "mcnemar-chi2": ("chi2", "McNemar chi-square"),
            "mcnemar-mid-p": ("mid-p", "McNemar mid-p")}  # fmt: skip


def count_discordant(
    connection: duckdb.DuckDBPyConnection,
    query: Query,
    scores: Sequence[Score],
    a: Values,
    b: Values,
    where: str | None,
    gold: str,
) -> list[tuple[int, int]]:
    """For every score the numbers of items that a alone, and that b alone, has right.

    Items are matched by the first columns of the metric's header that tell them apart. Raises UsageError where the
    systems have other items, or where a score is no share of items that are right or wrong.
    """
    counts = [column.name for column in query.counts]
    measured = ", ".join(
        f"count(*) FILTER (a.{c} IS DISTINCT FROM b.{c}), count(*) FILTER (a.{c} = 1 AND b.{c} = 0), "
        f"count(*) FILTER (a.{c} = 0 AND b.{c} = 1), coalesce(CAST(sum(a.{c}) AS DOUBLE), 0)"
        for c in counts
    )
    names = [column.name for column in query.columns if column.name not in counts]
    with duckdb.connect() as own:
        key: list[str] = []
        for columns in (names[:KEY_COLUMNS], names):
            if key:
                break
            for side, values in (("a", a), ("b", b)):
                items = scoring_scores.items(connection, query.name, values, [*columns, *counts], where=where)
                corpus = str(values[str(query.reference_corpus)])
                own.register(side, correspondence.renumbered_items(connection, query, items, corpus, gold))
            key = _key(own, columns)
        if not key:
            raise UsageError(f"McNemar's test matches items, and those of {query.name} cannot be told apart")
        matched = " AND ".join(f"a.{name} IS NOT DISTINCT FROM b.{name}" for name in key)
        sql = f"SELECT count(*), count(a.sentence), count(b.sentence), {measured} FROM a FULL JOIN b ON {matched}"
        n, in_a, in_b, *rest = own.execute(sql).fetchall()[0]
    if n != in_a or n != in_b:
        raise UsageError(
            f"McNemar's test needs the same items for both systems, and of {query.name} {2 * n - in_a - in_b} stand on "
            "one side only; --test shuffling compares sums"
        )
    found = {name: rest[4 * at : 4 * at + 4] for at, name in enumerate(counts)}
    known = {name: Fraction(total) for name, (differ, _, _, total) in found.items() if not differ}
    right = []
    for score in scores:
        weights = expressions.coefficients(connection, score, known)
        names = list(weights or {})
        if (
            weights is None
            or len(names) > 1
            or any(found[name][0] != found[name][1] + found[name][2] for name in names)
        ):
            raise UsageError(
                f"McNemar's test is for shares of items that are right or wrong, and {score.name} of {query.name} is "
                "none; --test shuffling is for every score"
            )
        right.append((found[names[0]][1], found[names[0]][2]) if names else (0, 0))
    return right


def _key(connection: duckdb.DuckDBPyConnection, names: Sequence[str]) -> list[str]:
    """The fewest first columns that tell all rows of the tables a and b apart; none if all columns do not."""
    for width in range(1, len(names) + 1):
        key = ", ".join(names[:width])
        distinct = (f"(SELECT count(*) FROM (SELECT DISTINCT {key} FROM {side}))" for side in ("a", "b"))
        whole = (f"(SELECT count(*) FROM {side})" for side in ("a", "b"))
        told = " AND ".join(f"{some} = {all_of}" for some, all_of in zip(distinct, whole, strict=True))
        if connection.execute(f"SELECT {told}").fetchall()[0][0]:
            return list(names[:width])
    return []


def mcnemar_p(only_a: int, only_b: int, kind: str = "exact") -> float:
    """McNemar's test, two-sided, from the numbers of items that only a, and that only b, has right.

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
