"""Scores of metrics that are chosen by names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treesql import catalog
from treesql.catalog import Query
from treesql.catalog.header import Score
from treesql.errors import UsageError
from treesql.scoring import audits


def scores_of(columns: Mapping[str, Sequence[str]]) -> list[tuple[Query, tuple[Score, ...]]]:
    """Return the metrics, each with its ratios among the chosen columns, in the order of these.

    columns: by metric, the names of counts and scores. Raises UsageError for a metric without a ratio among them, and
    for two scores of one name.
    """
    found = []
    for name, chosen in columns.items():
        query = catalog.query(name)
        ratios = {one.name: one for one in query.ratios}
        scores = tuple(ratios[one] for one in chosen if one in ratios)
        if not scores:
            known = ", ".join(one.name for one in query.ratios)
            raise UsageError(f"{', '.join(chosen)} of {name} cannot be compared; its scores are {known}")
        found.append((query, scores))
    audits.check_distinct_scores({query.name: [one.name for one in scores] for query, scores in found})
    return found
