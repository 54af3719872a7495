"""Selection of scores by names: of metrics, of scores, or `metric.score`."""

from __future__ import annotations

from collections.abc import Sequence

from treesql import catalog
from treesql.catalog import Query
from treesql.catalog.header import Score
from treesql.errors import UnknownName, UsageError
from treesql.scoring import audits, scores


def select_scores(metrics: Sequence[str], names: Sequence[str]) -> list[tuple[Query, tuple[Score, ...]]]:
    """Return the metrics that are named, each with its selected scores.

    metrics: those that are searched first for scores, and whose family the selected ones must have; empty for any.
    names: of metrics, of scores, or `metric.score`; empty for the first metric. Raises UnknownName, UsageError.
    """
    found: dict[str, list[str]] = {}
    for name in names or metrics[:1]:
        place, _, score = name.rpartition(".")
        if not place and name in catalog.all_queries():
            place, score = name, ""
        query = scores.find_metric(place or _find_metric_of_score(name, metrics))
        _check_family(query, metrics)
        known = [one.name for one in query.ratios]
        if score and score not in known:
            raise UnknownName(f"score of {query.name}", score, known)
        selected = found.setdefault(query.name, [])
        selected += [one for one in ([score] if score else known) if one not in selected]
    queries = [catalog.query(name) for name in found]
    audits.check_distinct_scores(found)
    return [(query, tuple(one for one in query.ratios if one.name in found[query.name])) for query in queries]


def _find_metric_of_score(name: str, metrics: Sequence[str]) -> str:
    """Return the metric with a score of this name: one of `metrics`, or else the only one."""
    families = {catalog.query(one).family for one in metrics}
    having = [
        q.name
        for q in catalog.all_queries().values()
        if name in {score.name for score in q.ratios} and (q.family in families or not families)
    ]
    preferred = [metric for metric in metrics if metric in having]
    if preferred or len(having) == 1:
        return (preferred or having)[0]
    if having:
        raise UsageError(
            f"{name} is a score of several metrics; write {' or '.join(f'{one}.{name}' for one in having)}"
        )
    entries = [catalog.query(one) for one in metrics]
    known = {*metrics, *(score.name for one in entries for score in one.ratios)}
    raise UnknownName("metric or score of these systems" if metrics else "metric or score", name, known)


def _check_family(query: Query, metrics: Sequence[str]) -> None:
    """Raise UsageError if a metric is of another family than `metrics`."""
    if metrics and query.family != (family := catalog.query(metrics[0]).family):
        known = [one.name for one in catalog.all_queries().values() if one.kind == "metric" and one.family == family]
        raise UsageError(
            f"{query.name} is a metric of the family {query.family}, and these systems are compared by those of the "
            f"family {family}: {', '.join(known)}, or a score of them"
        )
