"""Items -> scores: the sums of a metric's counts over the corpus or per group, and its score expressions over them.

A score is evaluated in two steps, first the counts summed per group, then the expression over the sums, so that the
second step can be repeated on sums that were resampled.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from treesql import catalog, signatures
from treesql.catalog import Query, Statement, documents, schemas
from treesql.catalog.header import Column, Score
from treesql.catalog.schemas import literal, quote
from treesql.errors import FormatError, Incomparable, QueryError, UnknownName, UsageError
from treesql.item_conditions import check_condition
from treesql.kernels.fixed_point import UNITS
from treesql.results.result import Result

FAULTS_SHOWN = 5
_FEATURES = """
SELECT DISTINCT unnest(l.name_list) FROM feature_lists AS l
WHERE EXISTS (SELECT 1 FROM words AS w WHERE w.feats = l.feats)
"""
_SHARE = re.compile(r"(^|_)(share|accuracy|precision|recall|f1)$")
_MISSING = re.compile(r'Referenced column "([^"]+)" not found')
_ORDERED = re.compile(r"\bORDER BY [^()]*$")
"""Matches a query whose rows are in an order, which is not that of a window or a list."""
_FAULTS = "faults found"
_NEVER = "FALSE"
"""The condition on items of a metric that lacks what others are chosen or grouped by."""
_SUMS = "SELECT c.part, c.sentence, 0 AS group_number, c.sums FROM counted AS c"
_GROUPED_SUMS = """
SELECT c.part, c.sentence, CAST(g.number AS INTEGER) AS group_number, c.sums
FROM counted AS c
JOIN (SELECT o.grouped_by, row_number() OVER (ORDER BY o.grouped_by NULLS LAST) - 1 AS number
      FROM (SELECT DISTINCT f.grouped_by FROM counted AS f WHERE f.part = 0) AS o) AS g
  ON g.grouped_by IS NOT DISTINCT FROM c.grouped_by
"""
LARGEST = 1e25
"""Counts that are no whole numbers are below it, so that their sums in units of 1 / UNITS fit a HUGEINT."""
_TOO_LARGE = "INT128"
"""Is named where DuckDB cannot make a whole number of such a count."""
FEATURE = "feats."
"""What may stand before the name of a morphological feature, to tell it from a column."""


@dataclass(frozen=True)
class Grouping:
    """A column that items are grouped by: of the items themselves, or of a table that they are joined with.

    expression: its SQL, where items are `i`; join: the tables joined with them.
    """

    column: str
    expression: str
    table: str | None = None
    join: str = ""


@dataclass(frozen=True)
class Part:
    """What one metric adds to a table of scores. `items` names its common table expression."""

    query: Query
    items: str
    grouping: Grouping | None
    where: str | None

    @property
    def columns(self) -> tuple[str, ...]:
        """The counts that are shown, and the scores."""
        return (*(c.name for c in self.query.counts if c.shown), *(s.name for s in self.scores))

    @property
    def scores(self) -> tuple[Score, ...]:
        """The scores; words about sentences only where these are the groups."""
        by_sentence = self.grouping is not None and self.grouping.column == "sentence"
        return self.query.scores if by_sentence else self.query.ratios


@dataclass(frozen=True)
class Sums:
    """The counts of a metric, float64[sentences, groups, counts], and the numbers of the sentences in order."""

    query: Query
    values: npt.NDArray[np.float64]
    sentences: npt.NDArray[np.int64]

    def of(self, sentences: npt.NDArray[np.int64]) -> Sums:
        """The counts of these sentences, its own among them; of all others nothing is counted."""
        values = np.zeros((len(sentences), *self.values.shape[1:]))
        values[np.searchsorted(sentences, self.sentences)] = self.values
        return Sums(self.query, values, sentences)


@dataclass(frozen=True)
class _Asked:
    """Several metrics of the same corpora: what has to be run for them."""

    parts: tuple[Part, ...]
    values: Mapping[str, object]
    audits: tuple[Query, ...]
    expressions: Sequence[tuple[str, str]]
    faults: str

    def require(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Raises Incomparable if an audit finds anything."""
        for audit in self.audits:
            require(connection, audit, self.values)

    def execute(self, connection: duckdb.DuckDBPyConnection, sql: str) -> pa.Table:
        """The rows of a statement. Raises Incomparable, UnknownName, QueryError."""
        try:
            return _execute(connection, sql, ", ".join(part.query.name for part in self.parts), self.values)
        except QueryError as error:
            self.require(connection)  # a kernel may have stopped at what an audit can name
            first = self.parts[0]
            missing = _MISSING.search(str(error))
            if first.where and missing and missing[1].lower() in catalog.words(first.where.lower()):
                known = [column.name for column in first.query.columns]
                raise UnknownName(f"column of the items of {first.query.name}", missing[1], known) from None
            if _TOO_LARGE in error.message:
                self._check_sizes(connection)
            raise

    def _check_sizes(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Raises UsageError if a count that is no whole number cannot be summed: it is infinite, no number or huge."""
        for part in self.parts:
            for count in part.query.counts:
                if count.type != "DOUBLE":
                    continue
                sql = (
                    f"{chain(self.expressions)}SELECT i.sentence, i.{count.name}\nFROM {_chosen(part)} AS i\n"
                    f"WHERE NOT abs(i.{count.name}) < {LARGEST}\nORDER BY i.sentence, i.{count.name} LIMIT 1"
                )
                for row in _execute(connection, sql, part.query.name, self.values).to_pylist():
                    value = f"{count.name} of sentence {row['sentence']} is {row[count.name]:g}"
                    raise UsageError(f"{part.query.name}: {value}, and only numbers below {LARGEST:g} are summed")


def score(
    connection: duckdb.DuckDBPyConnection,
    metrics: Sequence[str],
    given: Mapping[str, object],
    *,
    by: str | None = None,
    where: str | None = None,
) -> Result:
    """The scores of one or several metrics of the same corpora, side by side, one row per group.

    given: values for parameters; each metric takes those that it declares. by: `sentence`, or a column of the items, of
    the gold words, of the gold sentences or of the gold corpus, or a morphological feature of the gold words, looked up
    in this order for the first metric, whose groups are the rows; other metrics are NULL where their items cannot be
    grouped so. where: an SQL condition on items; metrics whose items lack a column that it names are NULL.
    Raises UsageError, UnknownName, Incomparable, QueryError.
    """
    asked = _prepared(connection, metrics, given, by, where)
    sql = chain(asked.expressions) + _side_by_side(asked.parts, asked.faults)
    found = asked.execute(connection, sql)
    if asked.audits and (not len(found) or any(found[_FAULTS][0].as_py())):
        asked.require(connection)
    queries = [part.query for part in asked.parts]
    cited: dict[str, str] = {}
    for query in queries:
        origin = signatures.origin(connection, query, query.values(_of(query, given)), where, by)
        for name in (*(count.name for count in query.counts if count.shown), *(one.name for one in query.ratios)):
            cited.setdefault(name, f"{name}|{origin}")
    percent = frozenset(s.name for query in queries for s in query.scores if s.unit == "percent")
    return Result(found.drop_columns([_FAULTS]) if asked.audits else found, cited, percent)


def sums(
    connection: duckdb.DuckDBPyConnection,
    metrics: Sequence[str],
    given: Mapping[str, object],
    *,
    by: str | None = None,
    where: str | None = None,
) -> list[Sums]:
    """The counts of metrics summed per sentence, from which every score can be had again. Parameters as for `score`.

    Groups are in the order of the rows of `score`, one without `by`. Sentences are those of the gold corpus, and behind
    them any that a system alone has, as beside a WPT file it may. Raises what `score` raises.
    """
    asked = _prepared(connection, metrics, given, by, where)
    sql = chain([*asked.expressions, ("counted", _per_sentence(asked.parts))]) + (
        _SUMS if by is None else _GROUPED_SUMS
    )
    if asked.audits:
        sql += f"\nUNION ALL SELECT {len(asked.parts)}, 0, 0, [{asked.faults}]"
    found = asked.execute(connection, sql)
    part, sentence, group = (found[name].to_numpy() for name in ("part", "sentence", "group_number"))
    lists = found["sums"].combine_chunks()
    counted, lengths = lists.flatten().to_numpy(), lists.value_lengths().to_numpy()
    values = [counted[np.repeat(part == at, lengths)] for at in range(len(asked.parts) + 1)]
    if any(values[-1]):
        asked.require(connection)
    gold = sentence_numbers(connection, str(asked.values[str(asked.parts[0].query.reference_corpus)]))
    sentences = np.union1d(gold, sentence[part < len(asked.parts)])
    n_groups = 1 if by is None else int(group.max(initial=-1)) + 1
    summed = []
    for at, one in enumerate(asked.parts):
        counts = np.zeros((len(sentences), n_groups, len(one.query.counts)))
        place = np.searchsorted(sentences, sentence[part == at])
        counts[place, group[part == at]] = values[at].reshape(-1, len(one.query.counts))
        summed.append(Sums(one.query, counts, sentences))
    return summed


def sentence_numbers(connection: duckdb.DuckDBPyConnection, corpus: str) -> npt.NDArray[np.int64]:
    """The numbers of a corpus's sentences in order."""
    sql = "SELECT CAST(l.sentence AS BIGINT) AS sentence FROM sentences AS l WHERE l.corpus = ? ORDER BY l.sentence"
    numbers: npt.NDArray[np.int64] = connection.sql(sql, params=[corpus]).to_arrow_table()["sentence"].to_numpy()
    return numbers


def items(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    given: Mapping[str, object],
    columns: Sequence[str],
    *,
    where: str | None = None,
) -> pa.Table:
    """Columns of the items of a metric that meet a condition.

    Raises UnknownName, UsageError, Incomparable, QueryError.
    """
    asked = _prepared(connection, [name], given, None, where)
    asked.require(connection)
    [part] = asked.parts
    sql = f"SELECT {', '.join(f'i.{column}' for column in columns)}\nFROM {_chosen(part)} AS i"
    return asked.execute(connection, chain(asked.expressions) + sql)


def table(connection: duckdb.DuckDBPyConnection, name: str, given: Mapping[str, object]) -> Result:
    """The rows of a statistic, of whose parameters those are taken that it declares; shares are told.

    Its signature stands under the statistic's name. Raises UnknownName, UsageError, Incomparable, QueryError.
    """
    query = catalog.query(name)
    return rows(connection, query, _of(query, given), shares(query))


def rows(
    connection: duckdb.DuckDBPyConnection,
    query: Query,
    given: Mapping[str, object],
    percent: frozenset[str] = frozenset(),
) -> Result:
    """The rows of any query of the catalogue, with one signature for all, under its name. Raises what `run` raises."""
    found = run(connection, query, given)
    return Result(
        found, {query.name: signatures.signature(connection, query, query.name, query.values(given), None)}, percent
    )


def shares(query: Query) -> frozenset[str]:
    """The columns of a statistic that hold shares, by their names."""
    return frozenset(column.name for column in query.columns if _SHARE.search(column.name))


def metric(name: str) -> Query:
    """A query that has scores. Raises UnknownName, UsageError."""
    if name not in catalog.names():
        of = [one.name for one in catalog.all_queries().values() if name in {score.name for score in one.scores}]
        if of:
            raise UsageError(f"{name} is a score; name its metric, {' or '.join(of)}")
    query = catalog.query(name)
    if query.kind != "metric":
        metrics = [entry.name for entry in catalog.all_queries().values() if entry.kind == "metric"]
        raise UsageError(f"{name} is a {query.kind} and has no scores; metrics are {', '.join(metrics)}")
    return query


def find_grouping(connection: duckdb.DuckDBPyConnection, query: Query, by: str) -> Grouping:
    """Where the items of a metric find a column to group by. Raises UnknownName, UsageError."""
    columns = {column.name for column in query.columns} - {column.name for column in query.counts}
    if by in {column.name for column in query.counts}:
        raise UsageError(f"{by} is what is summed; group by another column, or choose items by it: --where")
    if by in columns:
        return Grouping(by, f"i.{quote(by)}")
    places = [("words", ("sentence", "word")), ("sentences", ("sentence",)), ("corpora", ())]
    reachable = {table: keys for table, keys in places if columns.issuperset(keys)}
    if "sentences" in reachable and by in documents.MARKS:
        reaching = documents.reaching(by, f"${query.reference_corpus}")
        return Grouping(by, "g.name", "sentences", f"LEFT JOIN (\n{reaching}\n) AS g ON g.sentence = i.sentence")
    for table, keys in reachable.items():
        if by in schemas.table(table).names:
            return Grouping(by, f"g.{quote(by)}", table, _join(table, keys, query))
    if "words" in reachable:
        features = [name for (name,) in connection.execute(_FEATURES).fetchall()]
        name = by.removeprefix(FEATURE)
        if name in features:
            values = f"SELECT v.feats, min(v.value) AS value FROM features AS v WHERE v.name = {literal(name)}"
            join = f"LEFT JOIN ({values} GROUP BY v.feats) AS f ON f.feats = g.feats"
            return Grouping(by, "f.value", "features", f"{_join('words', reachable['words'], query)}\n{join}")
        columns = columns.union(features)
    raise UnknownName("column to group by", by, columns.union(*(schemas.table(table).names for table in reachable)))


def run(connection: duckdb.DuckDBPyConnection, query: Query, given: Mapping[str, object]) -> pa.Table:
    """The rows of any query of the catalogue, in its own order or that of its columns from the first on.

    Raises UnknownName, UsageError, Incomparable, QueryError.
    """
    values = query.values(given)
    _require_corpora(connection, query, values)
    for audit in query.audit_queries:
        require(connection, audit, values)
    sql = query.statement.sql
    if not _ORDERED.search(query.body):
        sql = f"SELECT r.* FROM (\n{sql}\n) AS r ORDER BY ALL"
    return _execute(connection, sql, query.name, values)


def _require_corpora(connection: duckdb.DuckDBPyConnection, query: Query, values: Mapping[str, object]) -> None:
    known = [name for (name,) in connection.execute("SELECT corpus FROM corpora").fetchall()]
    for parameter in query.parameters:
        if parameter.name.endswith("_corpus") and values[parameter.name] not in known:
            raise UnknownName("corpus", str(values[parameter.name]), known)


def require(connection: duckdb.DuckDBPyConnection, audit: Query, values: Mapping[str, object]) -> None:
    """Ask an audit. Raises Incomparable if it finds anything."""
    known = audit.values(_of(audit, values))
    found = _execute(
        connection,
        chain([*audit.statement.expressions, ("faults", audit.statement.body)])
        + "SELECT f.file, f.line, f.problem, f.hint, count(*) OVER () AS n FROM faults AS f\n"
        + f"ORDER BY f.file, f.line, f.problem LIMIT {FAULTS_SHOWN}",
        audit.name,
        known,
    ).to_pylist()
    if found:
        faults = [FormatError(row["file"], row["line"], row["problem"], row["hint"]) for row in found]
        raise Incomparable(faults, found[0]["n"] - len(faults))


def require_distinct(chosen: Mapping[str, Sequence[str]]) -> None:
    """Raises UsageError where two metrics have a score of one name, by which alone columns and rows are named.

    chosen: by metric, the names of scores.
    """
    metric_of: dict[str, str] = {}
    for metric, scores in chosen.items():
        for score in scores:
            if metric_of.setdefault(score, metric) != metric:
                raise UsageError(f"{metric_of[score]} and {metric} both have a score {score}; ask for one at a time")


def _prepared(
    connection: duckdb.DuckDBPyConnection,
    metrics: Sequence[str],
    given: Mapping[str, object],
    by: str | None,
    where: str | None,
) -> _Asked:
    """Raises UsageError, UnknownName."""
    if not metrics:
        raise UsageError("name at least one metric")
    queries = [metric(name) for name in metrics]
    require_distinct({query.name: [score.name for score in query.scores] for query in queries})
    if where is not None:
        check_condition(connection, where)
    values = _values(queries, given)
    _require_corpora(connection, queries[0], values)
    audits = tuple({audit.name: audit for query in queries for audit in query.audit_queries}.values())
    values = with_defaults(audits, values)
    expressions, names = catalog.expand_together([*queries, *audits])
    grouping = None if by is None else find_grouping(connection, queries[0], by)
    first = Part(queries[0], names[0], grouping, where)
    others = [_beside(connection, first, query, name) for query, name in zip(queries[1:], names[1:], strict=False)]
    faults = ", ".join(f"(SELECT count(*) FROM {name})" for name in names[len(queries) :])
    return _Asked((first, *others), values, audits, expressions, faults)


def _values(queries: Sequence[Query], given: Mapping[str, object]) -> dict[str, object]:
    """A value for every parameter of several queries. Raises UnknownName, UsageError."""
    names = {p.name for query in queries for p in query.parameters}
    for name in given:
        if name not in names:
            raise UnknownName(f"parameter of {', '.join(query.name for query in queries)}", name, names)
    return {name: value for query in queries for name, value in query.values(_of(query, given)).items()}


def with_defaults(audits: Iterable[Query], values: Mapping[str, object]) -> dict[str, object]:
    """Values, and for parameters that audits alone declare their own defaults. Raises UsageError where one has none."""
    known = dict(values)
    for audit in audits:
        known |= audit.values(_of(audit, known))
    return known


def _of(query: Query, given: Mapping[str, object]) -> dict[str, object]:
    """Those of the values that a query takes."""
    return {p.name: given[p.name] for p in query.parameters if p.name in given}


def _join(table: str, keys: Sequence[str], query: Query) -> str:
    """SQL that joins items with the rows of a table that they are of, in the gold corpus."""
    matches = [f"g.corpus = ${query.reference_corpus}", *(f"g.{key} = i.{key}" for key in keys)]
    return f"LEFT JOIN {table} AS g ON {' AND '.join(matches)}"


def _beside(connection: duckdb.DuckDBPyConnection, first: Part, query: Query, items: str) -> Part:
    """Another metric beside the first; without items where they lack what the first one's are grouped or chosen by."""
    part = Part(query, items, first.grouping, first.where)
    nothing = replace(part, grouping=first.grouping and Grouping(first.grouping.column, "NULL"), where=_NEVER)
    lacking = {column.name for column in first.query.columns} - {column.name for column in query.columns}
    if first.where and lacking.intersection(catalog.words(first.where.lower())):
        return nothing
    if first.grouping is None:
        return part
    try:
        grouping = find_grouping(connection, query, first.grouping.column)
    except UnknownName:
        return nothing
    same = grouping.table == first.grouping.table or (first.grouping.table is None and grouping.table == "words")
    return replace(part, grouping=grouping) if same else nothing


def _side_by_side(parts: Sequence[Part], faults: str) -> str:
    """SQL for the parts joined on their group, columns that an earlier part has left out; `sent_id` beside `sentence`.

    faults: SQL for the numbers of faults that audits find, which become a column of their own.
    """
    by = None if parts[0].grouping is None else quote(parts[0].grouping.column)
    columns = [f"[{faults}] AS {quote(_FAULTS)}"] if faults else []
    columns += [f"p0.{by}"] if by else []
    joined = f"(\n{_scores(parts[0])}\n) AS p0"
    if by == quote("sentence"):
        columns.append("l.sent_id")
        joined += f"\nJOIN sentences AS l ON l.corpus = ${parts[0].query.reference_corpus} AND l.sentence = p0.sentence"
    names: set[str] = set()
    for at, part in enumerate(parts):
        columns += [f"p{at}.{name}" for name in part.columns if name not in names]
        names.update(part.columns)
        if at:
            condition = f"p{at}.{by} IS NOT DISTINCT FROM p0.{by}" if by else "TRUE"
            joined += f"\nLEFT JOIN (\n{_scores(part)}\n) AS p{at} ON {condition}"
    order = f"\nORDER BY p0.{by} NULLS LAST" if by else ""
    return f"SELECT {', '.join(columns)}\nFROM {joined}{order}"


def _scores(part: Part) -> str:
    """SQL for one metric's groups with the counts that are shown and the scores."""
    columns = [f"CAST(sum(s.{c.name}) AS {c.type}) AS {c.name}" for c in part.query.counts if c.shown]
    columns += [f"{score.expression} AS {score.name}" for score in part.scores]
    if part.grouping is None:
        return f"SELECT {', '.join(columns)}\nFROM (\n{_sums(part)}\n) AS s"
    by = quote(part.grouping.column)
    return f"SELECT s.{by}, {', '.join(columns)}\nFROM (\n{_sums(part)}\n) AS s\nGROUP BY s.{by}"


def _sums(part: Part) -> str:
    """SQL for the counts summed per group. Every sentence is a group, be it without items."""
    query, grouping = part.query, part.grouping
    items = _chosen(part)
    summed = "{}" if part.where == _NEVER else "coalesce({}, 0)"  # what cannot be chosen has no value
    counts = ", ".join(f"CAST({summed.format(_sum(c))} AS {c.type}) AS {c.name}" for c in query.counts)
    if grouping is None:
        return f"SELECT {counts}\nFROM {items} AS i"
    if grouping.column == "sentence" and grouping.table is None:
        return (
            f"SELECT l.sentence, {counts}\nFROM sentences AS l\nLEFT JOIN {items} AS i ON i.sentence = l.sentence\n"
            f"WHERE l.corpus = ${query.reference_corpus}\nGROUP BY l.sentence"
        )
    by = f"{grouping.expression} AS {quote(grouping.column)}"
    return f"SELECT {by}, {counts}\nFROM {items} AS i\n{grouping.join}\nGROUP BY {grouping.expression}"


def _per_sentence(parts: Sequence[Part]) -> str:
    """SQL for the counts of all parts summed per sentence, and per group."""
    selects = []
    for at, part in enumerate(parts):
        counts = ", ".join(f"CAST(coalesce({_sum(c)}, 0) AS DOUBLE)" for c in part.query.counts)
        by, join = (part.grouping.expression, part.grouping.join) if part.grouping else ("NULL", "")
        group = f", {by}" if part.grouping else ""
        selects.append(
            f"SELECT {at} AS part, i.sentence, {by} AS grouped_by, [{counts}] AS sums\n"
            f"FROM {_chosen(part)} AS i\n{join}\nGROUP BY i.sentence{group}"
        )
    return "\nUNION ALL\n".join(selects)


def _sum(count: Column) -> str:
    """SQL for the sum of a count over items `i`, the same for any order of rows and number of threads.

    A count that is no whole number is summed as whole numbers of 1 / UNITS, so that no sum is rounded on the way.
    """
    if count.type != "DOUBLE":
        return f"sum(i.{count.name})"
    return f"CAST(sum(CAST(round(i.{count.name} * {UNITS}) AS HUGEINT)) AS DOUBLE) / {UNITS}"


def _chosen(part: Part) -> str:
    """SQL for the items of a part that are scored."""
    return f"(SELECT * FROM {part.items} WHERE ({part.where}\n))" if part.where else part.items


def chain(expressions: Sequence[tuple[str, str]]) -> str:
    """`WITH ...` for common table expressions, or nothing."""
    return Statement(tuple(expressions), "").prefix


def _execute(connection: duckdb.DuckDBPyConnection, sql: str, name: str, values: Mapping[str, object]) -> pa.Table:
    used = Statement((), sql).bind(values)
    try:
        return connection.sql(sql, params=used).to_arrow_table()
    except duckdb.Error as error:
        raise QueryError(str(error), sql, name, used) from None
