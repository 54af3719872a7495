"""Checks that corpora can be compared before anything is scored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa

from treesql.catalog import Query
from treesql.catalog.queries import further_corpora
from treesql.catalog.sql_text import with_clause
from treesql.engines import Engine
from treesql.errors import Diagnostic, Incomparable, StatementError, UnknownName, UsageError

MAX_AUDIT_FAULTS = 5
"""Maximum number of faults of an audit that are reported."""


def check_corpora(engine: Engine, query: Query, values: Mapping[str, object]) -> None:
    """Raise UnknownName if a parameter names a corpus that is not loaded."""
    known = _corpora(engine)
    for parameter in query.parameters:
        if parameter.name.endswith("_corpus") and values[parameter.name] not in known:
            raise UnknownName("corpus", str(values[parameter.name]), known)


def check_corpus(engine: Engine, name: str) -> None:
    """Raise UnknownName for a corpus that is not loaded."""
    known = _corpora(engine)
    if name not in known:
        raise UnknownName("corpus", name, known)


def _corpora(engine: Engine) -> list[str]:
    return [name for (name,) in engine.rows("SELECT corpus FROM corpora")]


def check_audit(engine: Engine, audit: Query, values: Mapping[str, object]) -> None:
    """Run an audit. Raises Incomparable if it finds anything."""
    bound = audit.values(declared_values(audit, values))
    found = execute(
        engine,
        with_clause([*audit.statement.expressions, ("faults", audit.statement.body)])
        + "SELECT f.file, f.line, f.problem, f.hint, count(*) OVER () AS n FROM faults AS f\n"
        + f"ORDER BY f.file, f.line, f.problem LIMIT {MAX_AUDIT_FAULTS}",
        audit.name,
        bound,
        aggregated=True,
    ).to_pylist()
    if found:
        faults = [Diagnostic.error(row["file"], row["line"], row["problem"], row["hint"]) for row in found]
        raise Incomparable(faults, found[0]["n"] - len(faults))


def check_distinct_scores(scores_of: Mapping[str, Sequence[str]]) -> None:
    """Raise UsageError if two metrics have a score of the same name: only the name identifies columns and rows.

    scores_of: by metric, the names of scores.
    """
    metric_of: dict[str, str] = {}
    for metric, scores in scores_of.items():
        for score in scores:
            if metric_of.setdefault(score, metric) != metric:
                raise UsageError(f"{metric_of[score]} and {metric} both have a score {score}; name one at a time")


def add_defaults(audits: Iterable[Query], values: Mapping[str, object]) -> dict[str, object]:
    """Return values with the defaults of parameters that only audits declare. Raises UsageError if one has none."""
    known = dict(values)
    for audit in audits:
        known |= audit.values(declared_values(audit, known))
    return known


def scored_values(query: Query, values: Mapping[str, object]) -> dict[str, object]:
    """Return the values of the parameters that a metric declares, and of the corpora that its attributes describe."""
    further = further_corpora(query)
    return declared_values(query, values) | {name: values[name] for name in further if name in values}


def declared_values(query: Query, values: Mapping[str, object]) -> dict[str, object]:
    """Return the values of the parameters that a query declares."""
    return {p.name: values[p.name] for p in query.parameters if p.name in values}


def execute(engine: Engine, sql: str, name: str, values: Mapping[str, object], *, aggregated: bool = False) -> pa.Table:
    """Return the rows of a SELECT. Raises QueryError, which names the query."""
    try:
        return engine.table(sql, values, aggregated=aggregated)
    except StatementError as error:
        raise error.of_query(name) from None
