"""Which scores are meant by names: of metrics, of scores, or `metric.score`."""

from __future__ import annotations

from collections.abc import Sequence

from treesql import catalog
from treesql.catalog import Query
from treesql.catalog.header import Score
from treesql.errors import UnknownName, UsageError
from treesql.scoring import audits, scores


def select_scores(metrics: Sequence[str], names: Sequence[str]) -> list[tuple[Query, tuple[Score, ...]]]:
    """The metrics that names stand for, each with its scores that are meant.

    metrics: where scores are looked for first, and whose family alone can be compared; none for any. names: of metrics,
    of scores, or `metric.score`; if there are none, the first metric is meant. Raises UnknownName, UsageError.
    """
    found: dict[str, list[str]] = {}
    for name in names or metrics[:1]:
        place, _, score = name.rpartition(".")
        if not place and name in catalog.all_queries():
            place, score = name, ""
        query = scores.metric(place or _metric_of(name, metrics))
        _check_family(query, metrics)
        known = [one.name for one in query.ratios]
        if score and score not in known:
            raise UnknownName(f"score of {query.name}", score, known)
        wanted = found.setdefault(query.name, [])
        wanted += [one for one in ([score] if score else known) if one not in wanted]
    queries = [catalog.query(name) for name in found]
    audits.check_distinct_scores(found)
    return [(query, tuple(one for one in query.ratios if one.name in found[query.name])) for query in queries]


def _metric_of(name: str, metrics: Sequence[str]) -> str:
    """The metric that has a score of this name: one of those given, or the only one there is."""
    families = {catalog.query(one).family for one in metrics}
    having = [
        q.name
        for q in catalog.all_queries().values()
        if name in {score.name for score in q.ratios} and (q.family in families or not families)
    ]
    usual = [metric for metric in metrics if metric in having]
    if usual or len(having) == 1:
        return (usual or having)[0]
    if having:
        raise UsageError(
            f"{name} is a score of several metrics; write {' or '.join(f'{one}.{name}' for one in having)}"
        )
    entries = [catalog.query(one) for one in metrics]
    known = {*metrics, *(score.name for one in entries for score in one.ratios)}
    raise UnknownName("metric or score of these systems" if metrics else "metric or score", name, known)


def _check_family(query: Query, metrics: Sequence[str]) -> None:
    """Raises UsageError where a metric is of another family than those of what is compared."""
    if metrics and query.family != (family := catalog.query(metrics[0]).family):
        known = [one.name for one in catalog.all_queries().values() if one.kind == "metric" and one.family == family]
        raise UsageError(
            f"{query.name} is a metric of the family {query.family}, and these systems are compared by those of the "
            f"family {family}: {', '.join(known)}, or a score of them"
        )
