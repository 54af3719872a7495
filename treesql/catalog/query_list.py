"""The queries of the catalogue as objects for programs: names, parameters and meaning, without an engine."""

from __future__ import annotations

from dataclasses import dataclass

from treesql.catalog.header import Parameter
from treesql.catalog.queries import Query, all_queries, attributes_of, query
from treesql.runtime.failures import with_checked_arguments


@dataclass(frozen=True)
class QueryInfo:
    """A query of the catalogue.

    kind: metric, relation, statistic, audit or attributes. folder: of queries/, the kind of annotation described.
    parameters: each with `name`, `type`, `choices`, `default` and `doc`. columns: names of the columns of its rows.
    scores: names of the scores of a metric.
    """

    name: str
    kind: str
    folder: str
    doc: str
    parameters: tuple[Parameter, ...]
    columns: tuple[str, ...]
    scores: tuple[str, ...]

    @property
    def attributes(self) -> list[str]:
        """Names of the attributes of a metric's items: further columns that groups and conditions may name."""
        return sorted(attributes_of(query(self.name))) if self.scores else []

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


@with_checked_arguments
def queries(*names: str) -> list[QueryInfo]:
    """Describe the queries of the catalogue: those named, or all. Raises UnknownName."""
    return [_describe(one) for one in (map(query, names) if names else all_queries().values())]


def _describe(one: Query) -> QueryInfo:
    columns, scores = (tuple(each.name for each in listed) for listed in (one.columns, one.scores))
    return QueryInfo(one.name, one.kind, one.family, one.doc, one.parameters, columns, scores)
