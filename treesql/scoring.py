"""Items -> scores: the sums of a metric's counts over the corpus or per group, and its score expressions over them.

A score is evaluated in two steps, first the counts summed per group, then the expression over the sums, so that the
second step can be repeated on sums that were resampled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import duckdb
import pyarrow as pa

import treesql
from treesql import catalog, tables
from treesql.catalog import Query, Statement
from treesql.errors import FormatError, Incomparable, QueryError, UnknownName, UsageError
from treesql.results import Result
from treesql.tables import quote

FAULTS_SHOWN = 5
_PART = "treesql scores "


@dataclass(frozen=True)
class Grouping:
    """A column that items are grouped by: of the items themselves, or of a table that they are joined with."""

    column: str
    table: str | None = None
    join: str = ""

    @property
    def expression(self) -> str:
        """The column in the SQL of the sums, where items are `i` and the table is `g`."""
        return f"{'i' if self.table is None else 'g'}.{quote(self.column)}"


@dataclass(frozen=True)
class Request:
    """A metric, its parameters' values, what its items are grouped by and which are left out."""

    query: Query
    values: Mapping[str, object]
    grouping: Grouping | None
    where: str | None


def score(
    connection: duckdb.DuckDBPyConnection,
    metrics: Sequence[str],
    given: Mapping[str, object],
    *,
    by: str | None = None,
    where: str | None = None,
) -> Result:
    """The scores of one or several metrics that take the same parameters, side by side, one row per group.

    by: `sentence`, or a column of the items, of the gold words, of the gold sentences or of the gold corpus, looked up
    in this order for the first metric, whose groups are the rows; other metrics are NULL where their items cannot be
    grouped so. where: an SQL condition on items; metrics whose items lack a column that it names are NULL.
    Raises UnknownName, UsageError, Incomparable, QueryError.
    """
    if not metrics:
        raise UsageError("name at least one metric")
    queries = [metric(name) for name in metrics]
    first, values = queries[0], [query.values(given) for query in queries]
    _require_corpora(connection, first, values[0])
    for audit in {audit.name: audit for query in queries for audit in query.audit_queries}.values():
        _audit(connection, audit, values[0])
    grouping = None if by is None else find_grouping(first, by)
    parts = [_scores(connection, Request(first, values[0], grouping, where))]
    for query, own in zip(queries[1:], values[1:], strict=True):
        parts.append(_scores_beside(connection, Request(query, own, grouping, where), first))
    signatures = {
        s.name: signature(connection, query, s.name, own, where)
        for query, own in zip(queries, values, strict=True)
        for s in query.scores
    }
    percent = frozenset(s.name for query in queries for s in query.scores if s.unit == "percent")
    return Result(
        _side_by_side(connection, parts, by, str(values[0][first.reference_corpus or ""])), signatures, percent
    )


def metric(name: str) -> Query:
    """A query that has scores. Raises UnknownName, UsageError."""
    query = catalog.query(name)
    if query.kind != "metric":
        metrics = [entry.name for entry in catalog.all_queries().values() if entry.kind == "metric"]
        raise UsageError(f"{name} is a {query.kind} and has no scores; metrics are {', '.join(metrics)}")
    return query


def find_grouping(query: Query, by: str) -> Grouping:
    """Where the items of a metric find a column to group by. Raises UnknownName."""
    columns = {column.name for column in query.columns} - {column.name for column in query.counts}
    if by in {column.name for column in query.counts}:
        raise UsageError(f"{by} is what is summed; group by another column, or choose items by it: --where")
    if by in columns:
        return Grouping(by)
    places = [("words", ("sentence", "word")), ("sentences", ("sentence",)), ("corpora", ())]
    reachable = [(table, keys) for table, keys in places if columns.issuperset(keys)]
    for table, keys in reachable:
        if by in tables.table(table).names:
            matches = [f"g.corpus = ${query.reference_corpus}", *(f"g.{key} = i.{key}" for key in keys)]
            return Grouping(by, table, f"JOIN {table} AS g ON {' AND '.join(matches)}")
    raise UnknownName("column to group by", by, columns.union(*(tables.table(table).names for table, _ in reachable)))


def signature(
    connection: duckdb.DuckDBPyConnection,
    query: Query,
    score_name: str,
    values: Mapping[str, object],
    where: str | None,
) -> str:
    """What a number was computed from, to be cited: score, options, corpora and their files, query and versions.

    `las|punctuation:form|relations:universal|gold:ewt@5d0c11|system:a@91be02|q:3f9c21d0|v:0.1.0|duckdb:2.0.0`
    """
    corpora = [p.name for p in query.parameters if p.name.endswith("_corpus")]
    parts = [score_name, *(f"{p.name}:{values[p.name]}" for p in query.parameters if p.name not in corpora)]
    if where:
        parts.append(f"where:{_escape(where)}")
    for name in corpora:
        digest = connection.execute("SELECT sha256 FROM corpora WHERE corpus = ?", [values[name]]).fetchall()[0][0]
        parts.append(f"{name.removesuffix('_corpus')}:{_escape(values[name])}@{digest[:6]}")
    return "|".join([*parts, f"q:{query.sha256[:8]}", f"v:{treesql.__version__}", f"duckdb:{duckdb.__version__}"])


def _escape(value: object) -> str:
    """A value in a signature, whose parts stand between bars."""
    return str(value).replace("|", "\\|")


def run(connection: duckdb.DuckDBPyConnection, query: Query, given: Mapping[str, object]) -> pa.Table:
    """The rows of any query of the catalogue. Raises UnknownName, UsageError, Incomparable, QueryError."""
    values = query.values(given)
    _require_corpora(connection, query, values)
    for audit in query.audit_queries:
        _audit(connection, audit, values)
    return _execute(connection, query.statement.sql, query, values)


def _require_corpora(connection: duckdb.DuckDBPyConnection, query: Query, values: Mapping[str, object]) -> None:
    known = [name for (name,) in connection.execute("SELECT corpus FROM corpora").fetchall()]
    for parameter in query.parameters:
        if parameter.name.endswith("_corpus") and values[parameter.name] not in known:
            raise UnknownName("corpus", str(values[parameter.name]), known)


def _audit(connection: duckdb.DuckDBPyConnection, audit: Query, values: Mapping[str, object]) -> None:
    """Raises Incomparable if an audit finds anything."""
    known = audit.values({p.name: values[p.name] for p in audit.parameters if p.name in values})
    found = _execute(
        connection,
        _with(audit.statement, "faults")
        + "SELECT f.file, f.line, f.problem, f.hint, count(*) OVER () AS n FROM faults AS f\n"
        + f"ORDER BY f.file, f.line, f.problem LIMIT {FAULTS_SHOWN}",
        audit,
        known,
    ).to_pylist()
    if found:
        faults = [FormatError(row["file"], row["line"], row["problem"], row["hint"]) for row in found]
        raise Incomparable(faults, found[0]["n"] - len(faults))


def _scores(connection: duckdb.DuckDBPyConnection, wanted: Request) -> pa.Table:
    """One metric's groups with the counts that are shown and the scores."""
    query, grouping = wanted.query, wanted.grouping
    columns = [f"CAST(sum(s.{c.name}) AS {c.type}) AS {c.name}" for c in query.counts if c.shown]
    columns += [f"{score.expression} AS {score.name}" for score in query.scores]
    end = ""
    if grouping is not None:
        columns.insert(0, f"s.{quote(grouping.column)}")
        end = f"\nGROUP BY s.{quote(grouping.column)}\nORDER BY s.{quote(grouping.column)} NULLS LAST"
    sql = _with(query.statement, "items") + f"SELECT {', '.join(columns)}\nFROM (\n{_sums(wanted)}\n) AS s{end}"
    return _execute(connection, sql, query, wanted.values)


def _scores_beside(connection: duckdb.DuckDBPyConnection, wanted: Request, first: Query) -> pa.Table:
    """Another metric's groups; none where its items lack what the first one's are grouped and chosen by."""
    query, by = wanted.query, [] if wanted.grouping is None else [wanted.grouping.column]
    nothing = pa.table(
        {name: pa.nulls(0) for name in by} | {score.name: pa.nulls(0, pa.float64()) for score in query.scores}
    )
    lacking = {column.name for column in first.columns} - {column.name for column in query.columns}
    if wanted.where and lacking.intersection(re.findall(r"\w+", wanted.where.lower())):
        return nothing
    if wanted.grouping is not None:
        try:
            grouping = find_grouping(query, wanted.grouping.column)
        except UnknownName:
            return nothing
        if grouping.table != wanted.grouping.table:
            return nothing
    return _scores(connection, wanted)


def _sums(wanted: Request) -> str:
    """SQL for the counts summed per group. Every sentence is a group, be it without items."""
    query, grouping = wanted.query, wanted.grouping
    items = f"(SELECT * FROM items WHERE {wanted.where})" if wanted.where else "items"
    counts = ", ".join(f"CAST(coalesce(sum(i.{c.name}), 0) AS {c.type}) AS {c.name}" for c in query.counts)
    if grouping is None:
        return f"SELECT {counts}\nFROM {items} AS i"
    if grouping == Grouping("sentence"):
        return (
            f"SELECT l.sentence, {counts}\nFROM sentences AS l\nLEFT JOIN {items} AS i ON i.sentence = l.sentence\n"
            f"WHERE l.corpus = ${query.reference_corpus}\nGROUP BY l.sentence"
        )
    return f"SELECT {grouping.expression}, {counts}\nFROM {items} AS i\n{grouping.join}\nGROUP BY {grouping.expression}"


def _with(statement: Statement, name: str) -> str:
    """A WITH chain whose last expression, `name`, is the statement itself."""
    return Statement((*statement.expressions, (name, statement.body)), "").prefix


def _side_by_side(
    connection: duckdb.DuckDBPyConnection, parts: Sequence[pa.Table], by: str | None, gold_corpus: str
) -> pa.Table:
    """The parts joined on their group, columns that an earlier part has left out; `sent_id` beside `sentence`."""
    names = [] if by is None else [by]
    columns = [] if by is None else [f"p0.{quote(by)}"]
    joined = f"{quote(_PART + str(0))} AS p0"
    if by == "sentence":
        columns.append("l.sent_id")
        joined += " JOIN sentences AS l ON l.corpus = $gold_corpus AND l.sentence = p0.sentence"
    for at, part in enumerate(parts):
        new = [name for name in part.column_names if name not in names]
        columns += [f"p{at}.{quote(name)}" for name in new]
        names += new
        if at:
            condition = "TRUE" if by is None else f"p{at}.{quote(by)} IS NOT DISTINCT FROM p0.{quote(by)}"
            joined += f" LEFT JOIN {quote(_PART + str(at))} AS p{at} ON {condition}"
    order = "" if by is None else f" ORDER BY p0.{quote(by)} NULLS LAST"
    values = {"gold_corpus": gold_corpus} if by == "sentence" else {}
    try:
        for at, part in enumerate(parts):
            connection.register(f"{_PART}{at}", part)
        return connection.sql(f"SELECT {', '.join(columns)} FROM {joined}{order}", params=values).to_arrow_table()
    finally:
        for at in range(len(parts)):
            connection.unregister(f"{_PART}{at}")


def _execute(connection: duckdb.DuckDBPyConnection, sql: str, query: Query, values: Mapping[str, object]) -> pa.Table:
    used = Statement((), sql).bind(values)
    try:
        return connection.sql(sql, params=used).to_arrow_table()
    except duckdb.Error as error:
        raise QueryError(str(error), sql, query.name, used) from None
