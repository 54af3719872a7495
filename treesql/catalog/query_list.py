"""The queries of the catalogue as objects for programs: names, parameters and meaning, without an engine."""

from __future__ import annotations

from dataclasses import dataclass

from treesql.catalog.header import Parameter
from treesql.catalog.queries import all_queries, query


@dataclass(frozen=True)
class QueryInfo:
    """A query of the catalogue.

    kind: metric, relation, statistic or audit. folder: of queries/, the kind of annotation that it is about.
    parameters: each with `name`, `type`, `choices`, `default` and `doc`. scores: names of the scores of a metric.
    """

    name: str
    kind: str
    folder: str
    doc: str
    parameters: tuple[Parameter, ...]
    scores: tuple[str, ...]

    @property
    def sql(self) -> str:
        """The statement with all queries that it uses; parameters are `$name`."""
        return query(self.name).statement.sql

    @property
    def markdown(self) -> str:
        """The documentation of the query."""
        from treesql.catalog import reference

        return reference.describe(query(self.name)).rstrip()

    def __str__(self) -> str:
        return self.markdown


def queries(*names: str) -> list[QueryInfo]:
    """Describe the queries of the catalogue: those named, or all. Raises UnknownName."""
    found = map(query, names) if names else all_queries().values()
    return [
        QueryInfo(one.name, one.kind, one.family, one.doc, one.parameters, tuple(score.name for score in one.scores))
        for one in found
    ]
