"""Items -> partial sums: the one statement by which the counts of several metrics of the same corpora are summed.

A plan is made once for a task. Its statement sums the counts of every metric per group, to whole numbers that add up,
over the whole corpora or over one block of sentences after another; `scores` evaluates the scores over the sums.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import pyarrow as pa

from treesql import catalog
from treesql.catalog import Query, documents
from treesql.catalog.header import Column, Score
from treesql.catalog.queries import OF_WORDS, Attribute, attributes_named, further_corpora
from treesql.catalog.schemas import quote
from treesql.catalog.sql_text import with_clause
from treesql.engines import Engine
from treesql.engines.relations import of_range
from treesql.errors import NumberTooLarge, StatementError, UnknownColumn, UnknownName, UsageError
from treesql.kernels.fixed_point import UNITS
from treesql.scoring.audits import (
    add_defaults,
    check_audit,
    check_corpora,
    check_corpus,
    check_distinct_scores,
    declared_values,
    execute,
    pair_words,
)
from treesql.scoring.item_columns import (
    OF_SENTENCES,
    ItemColumn,
    column_of,
    find_groupings,
    find_in_condition,
    joins_of,
    names_in_condition,
    unknown_column,
    with_column_names,
)

NO_ITEMS = "FALSE"
"""Condition on the items of a metric that lack a column of the grouping or of the condition."""

WHOLE_SUM = "HUGEINT"
"""Type of the sums of fractional counts as whole numbers."""

PARTIAL_SUM = "DECIMAL(38, 0)"
"""Type of whole sums outside of DuckDB: Arrow has it, but no HUGEINT."""

MAX_COUNT = 1e25
"""Bound of fractional counts: their sums in units of 1 / UNITS fit the type WHOLE_SUM, which has 128 bits."""


@dataclass(frozen=True)
class MetricPart:
    """The part of a table of scores that one metric computes.

    items: the name of its table expression. by: what they are grouped by; where: the condition, named: the columns that
    it names. attributes: those that groups and the condition name, each with its table expression, which are further
    columns of the items. sums: whether the sums of all counts are further columns of the scores.
    """

    query: Query
    items: str
    by: tuple[ItemColumn, ...] = ()
    where: str | None = None
    named: tuple[ItemColumn, ...] = ()
    attributes: tuple[tuple[Attribute, str], ...] = ()
    sums: bool = False

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the counts that are shown, of the scores, and of the sums."""
        shown = (*(c.name for c in self.query.counts if c.shown), *(s.name for s in self.scores))
        return (*shown, *(sum_name(self.query, c) for c in self.query.counts)) if self.sums else shown

    @property
    def scores(self) -> tuple[Score, ...]:
        """Scores of the metric; those that are text about a sentence only if sentences are the groups."""
        return self.query.scores if self.is_by_sentence else self.query.ratios

    @property
    def is_by_sentence(self) -> bool:
        """Whether the groups are the sentences of the gold corpus."""
        return len(self.by) == 1 and self.by[0].is_sentence

    @cached_property
    def keys(self) -> list[str]:
        """The columns of the values of the groupings in rows of sums."""
        return [f"key_{number}" for number in range(len(self.by))]


@dataclass(frozen=True)
class ScoringPlan:
    """The SQL of several metrics of the same corpora, with their audits and the values of their parameters.

    faults: SQL for the number of faults that audits find; empty without audits. table: the name of a table of partial
    sums that are computed already; None where the statement of the scores computes them.
    """

    parts: tuple[MetricPart, ...]
    values: Mapping[str, object]
    audits: tuple[Query, ...]
    expressions: Sequence[tuple[str, str]]
    faults: str
    table: str | None = None

    @property
    def prefix(self) -> str:
        """`WITH ...` for what the sums of its parts read, or nothing."""
        return with_clause(self.expressions)

    @cached_property
    def sum_columns(self) -> list[str]:
        """The columns of sums in rows of all parts: one for every count of the largest part."""
        return [f"sum_{at}" for at in range(max(len(part.query.counts) for part in self.parts))]

    def check_audits(self, engine: Engine) -> None:
        """Raise Incomparable if an audit finds anything."""
        for audit in self.audits:
            check_audit(engine, audit, self.values)

    def audited(self, engine: Engine) -> ScoringPlan:
        """Check the audits, and return the plan without them. Raises Incomparable."""
        self.check_audits(engine)
        return replace(self, audits=(), faults="")

    def execute(self, engine: Engine, sql: str, *, aggregated: bool = True) -> pa.Table:
        """Return the rows of a statement. Raises Incomparable, UnknownName, QueryError."""
        try:
            return engine.table(sql, self.values, aggregated=aggregated)
        except StatementError as error:
            self.check_audits(engine)  # a fault that stops a kernel may be one that an audit names
            first = self.parts[0]
            where = catalog.words((first.where or "").lower())
            if isinstance(error, UnknownColumn) and error.column.lower() in where:
                raise unknown_column(engine, first.query, error.column, self.values) from None
            if isinstance(error, NumberTooLarge):
                self._check_sizes(engine)
            raise error.of_query(", ".join(part.query.name for part in self.parts)) from None

    @property
    def is_of_sentences(self) -> bool:
        """Whether the items of a sentence depend on no other sentence, so that sums of ranges of sentences add up."""
        queries = [*(part.query for part in self.parts), *self.audits]
        queries += [one.query for part in self.parts for one, _ in part.attributes]
        named = {column_of(one.name) for part in self.parts for one in (*part.by, *part.named)}
        return not (
            any(catalog.reads_tables(part.where) for part in self.parts)
            or named.intersection(documents.MARKS)
            or catalog.cross_sentences(queries, self.values)
        )

    def rows_of(self, at: int, *, by_sentence: bool = False) -> str:
        """Return SQL in FROM for the rows of sums of a part: its columns `key_0`, ..., `sum_0`, ... and `sentence`."""
        if self.table is None:
            return f"(\n{_sums_of_items(self.parts[at], by_sentence=by_sentence)}\n)"
        return f"(SELECT t.* FROM {quote(self.table)} AS t WHERE t.part = {at})"

    @cached_property
    def added_up(self) -> list[str]:
        """SQL that adds up each of the columns of sums in rows `s`."""
        values = (f"s.{name}" for name in self.sum_columns)
        return [f"sum({one})" if self.table is None else f"sum(CAST({one} AS {WHOLE_SUM}))" for one in values]

    def partial_sums(self, engine: Engine, sentences: range | None = None, *, by_sentence: bool) -> pa.Table | None:
        """Return the sums of the counts of a block of sentences per group, and per sentence where asked for.

        They add up: a row for every part and group, with columns `part`, `sentence`, `key_0`, ..., `sum_0`, ...
        sentences: those of the block, of whatever the engine holds; None for all. Returns None where audits find faults
        among some sentences, and none in the whole. Raises Incomparable, QueryError.
        """
        import pyarrow.compute as pc  # here, for it takes as long to import as the rest of pyarrow

        sql = self._partial_sums_statement(by_sentence=by_sentence)
        found = self.execute(engine, sql if sentences is None else of_range(engine, sql, sentences))
        is_sum = pc.less(found["part"], len(self.parts))
        if any(found.filter(pc.invert(is_sum))["sum_0"].to_pylist()):
            self.check_audits(engine)
            if sentences is not None:
                return None
        return found.filter(is_sum)

    def _partial_sums_statement(self, *, by_sentence: bool) -> str:
        """The rows of sums of all parts; that of the part after the last one has the number of faults in `sum_0`."""
        names = self.sum_columns
        keys = ["sentence"] * by_sentence + self.parts[0].keys
        rows = []
        for at, part in enumerate(self.parts):
            columns = [f"s.{key}" for key in keys]
            columns += [f"CAST(s.{name} AS {PARTIAL_SUM}) AS {name}" for name in names[: len(part.query.counts)]]
            columns += _nulls(names[len(part.query.counts) :], PARTIAL_SUM)
            rows.append(
                f"SELECT {at} AS part, {', '.join(columns)}\nFROM {self.rows_of(at, by_sentence=by_sentence)} AS s"
            )
        faults = [f"CAST({self.faults or 0} AS {PARTIAL_SUM}) AS {names[0]}", *_nulls(names[1:], PARTIAL_SUM)]
        rows.append(f"SELECT {', '.join([str(len(self.parts)), *['NULL'] * len(keys), *faults])}")
        return self.prefix + "\nUNION ALL\n".join(rows)

    def counts_of(self, sums: pa.Table) -> dict[str, int]:
        """Return the counts that are shown, over all groups of partial sums."""
        import pyarrow.compute as pc  # here, as above

        found: dict[str, int] = {}
        for at, part in enumerate(self.parts):
            rows = sums.filter(pc.equal(sums["part"], at))
            for name, count in zip(self.sum_columns, part.query.counts, strict=False):
                if count in part.query.shown_counts:
                    found[count.name] = found.get(count.name, 0) + (pc.sum(rows[name]).as_py() or 0)
        return found

    def over_sums(self, table: str) -> ScoringPlan:
        """Return the plan that computes the same scores from the partial sums of all blocks, in a table."""
        return replace(self, audits=(), expressions=(), faults="", table=table)

    def _check_sizes(self, engine: Engine) -> None:
        """Raise UsageError if a fractional count cannot be summed: it is infinite, NaN or huge."""
        for part in self.parts:
            for count in part.query.counts:
                if count.type != "DOUBLE":
                    continue
                sql = (
                    f"{self.prefix}SELECT i.sentence, i.{count.name}\nFROM {selected_items(part)} AS i\n"
                    f"WHERE NOT abs(i.{count.name}) < {MAX_COUNT}\nORDER BY i.sentence, i.{count.name} LIMIT 1"
                )
                for row in execute(engine, sql, part.query.name, self.values).to_pylist():
                    value = f"{count.name} of sentence {row['sentence']} is {row[count.name]:g}"
                    raise UsageError(f"{part.query.name}: {value}, and only numbers below {MAX_COUNT:g} are summed")


def _nulls(names: Sequence[str], kind: str) -> list[str]:
    """Return SQL for columns without values."""
    return [f"CAST(NULL AS {kind}) AS {name}" for name in names]


def _sums_of_items(part: MetricPart, *, by_sentence: bool) -> str:
    """Return SQL for the counts of a part summed to whole numbers per group, and per sentence where asked for.

    Fractional counts are summed in units of 1 / UNITS, so that no partial sum is rounded: sums are equal for any order
    of rows, blocks and number of threads.
    """
    keys = [("i.sentence", "sentence")] * by_sentence + [
        (one.key, key) for one, key in zip(part.by, part.keys, strict=True)
    ]
    columns = [f"{value} AS {name}" for value, name in keys]
    for number, count in enumerate(part.query.counts):
        value = f"i.{count.name}"
        if count.type == "DOUBLE":
            value = f"CAST(round({value} * {UNITS}) AS {WHOLE_SUM})"
        columns.append(f"sum({value}) AS sum_{number}")
    group = f"\nGROUP BY {', '.join(value for value, _ in keys)}" if keys else ""
    return f"SELECT {', '.join(columns)}\nFROM {selected_items(part)} AS i\n{joins_of(part.by)}{group}"


def sum_name(query: Query, count: Column) -> str:
    """Return the name of the column with the sum of a count, which no score or count of another metric has."""
    return f"{query.name}__{count.name}"


def selected_items(part: MetricPart) -> str:
    """Return SQL for the scored items of a part, with their attributes and the columns that the condition names."""
    items = f"({_with_attributes(part)})" if part.attributes else part.items
    joined = [one for one in part.named if one.joins]
    if joined:
        columns = ", ".join(f"{one.value} AS {quote(one.name)}" for one in joined)
        items = f"(SELECT i.*, {columns} FROM {items} AS i\n{joins_of(joined)})"
    if not part.where:
        return items
    named = items if items == part.items else f"{items} AS {part.items}"
    return f"(SELECT * FROM {named} WHERE ({with_column_names(part.where, part.named)}\n))"


def _with_attributes(part: MetricPart) -> str:
    """Return SQL for the items with the columns of their attributes; tables are joined once, whatever is read."""
    aliases: dict[tuple[str, tuple[tuple[str, str], ...]], str] = {}
    columns, joins = ["i.*"], []
    for attribute, table in part.attributes:
        if (table, attribute.keys) not in aliases:
            alias = aliases[table, attribute.keys] = f"a{len(aliases)}"
            same = " AND ".join(f"{alias}.{key} = i.{column}" for column, key in attribute.keys)
            joins.append(f"LEFT JOIN {table} AS {alias} ON {same}")
        columns.append(f"{aliases[table, attribute.keys]}.{attribute.column.name} AS {attribute.name}")
    return f"SELECT {', '.join(columns)} FROM {part.items} AS i " + " ".join(joins)


def find_metric(name: str) -> Query:
    """Return the metric of a name. Raises UnknownName, UsageError."""
    if name not in catalog.names():
        of = [one.name for one in catalog.all_queries().values() if name in {score.name for score in one.scores}]
        if of:
            raise UsageError(f"{name} is a score; name its metric, {' or '.join(of)}")
    query = catalog.query(name)
    if query.kind != "metric":
        metrics = [entry.name for entry in catalog.all_queries().values() if entry.kind == "metric"]
        raise UsageError(f"{name} is a {query.kind} and has no scores; metrics are {', '.join(metrics)}")
    return query


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
    check_distinct_scores({query.name: [one.name for one in scores] for query, scores in found})
    return found


def plan_scores(
    engine: Engine,
    metrics: Sequence[str],
    parameters: Mapping[str, object],
    by: Sequence[str],
    where: str | None,
    columns: Sequence[str] = (),
    *,
    of_blocks: bool = False,
) -> ScoringPlan:
    """Return what `score` runs; words that it pairs are aligned before, if they differ.

    columns: further columns of the items that are read. of_blocks: whether words are aligned later, block by
    block, by `word_alignments.align_block`. Raises UsageError, UnknownName, Incomparable.
    """
    if not metrics:
        raise UsageError("name at least one metric")
    queries = [find_metric(name) for name in metrics]
    check_distinct_scores({query.name: [score.name for score in query.scores] for query in queries})
    if where is not None:
        engine.check_condition(where)
    values = _values(queries, parameters)
    check_corpora(engine, queries[0], values)
    values |= _further_values(engine, queries, parameters, by, where)
    done = pair_words(engine, queries, values, of_blocks=of_blocks)
    needed = {audit.name: audit for query in queries for audit in query.audit_queries if audit.name not in done}
    audits = tuple(needed.values())
    values = add_defaults(audits, values)
    by_columns = find_groupings(engine, queries[0], by, values)
    first = MetricPart(queries[0], "", by_columns, where, find_in_condition(engine, queries[0], where, values))
    parts = [first, *(_further_part(engine, first, query, values) for query in queries[1:])]
    named = [_attributes_named(part) for part in parts]
    calls = {one.call: one.query for found in named for one in found}
    read = [_query_read(part, columns) for part in parts]
    expressions, names = catalog.expand_together([*read, *audits], list(calls))
    n_called = len(queries) + len(audits)
    tables = dict(zip(calls, names[n_called:], strict=True))
    faults = " + ".join(f"(SELECT count(*) FROM {name})" for name in names[len(queries) : n_called])
    whole = tuple(
        replace(part, items=name, attributes=tuple((one, tables[one.call]) for one in found))
        for part, name, found in zip(parts, names, named, strict=False)
    )
    return ScoringPlan(whole, values, audits, expressions, faults)


def _values(queries: Sequence[Query], parameters: Mapping[str, object]) -> dict[str, object]:
    """Return a value for every parameter of several queries. Raises UnknownName, UsageError."""
    names = {p.name for query in queries for p in query.parameters}
    for name in parameters:
        if name not in names and not any(name in further_corpora(query) for query in queries):
            raise UnknownName(f"parameter of {', '.join(query.name for query in queries)}", name, names)
    return {
        name: value for query in queries for name, value in query.values(declared_values(query, parameters)).items()
    }


def _further_values(
    engine: Engine, queries: Sequence[Query], parameters: Mapping[str, object], by: Sequence[str], where: str | None
) -> dict[str, object]:
    """Return the corpora that the attributes of groups and the condition describe and no metric declares.

    Raises UsageError, UnknownName.
    """
    names = {column_of(name) for name in by}.union(catalog.words((where or "").lower()))
    found: dict[str, object] = {}
    for parameter, attribute in {
        name: of for query in queries for name, of in further_corpora(query, names).items()
    }.items():
        if parameter not in parameters:
            role = parameter.removesuffix("_corpus").removesuffix(OF_WORDS)
            raise UsageError(f"{attribute} is of the {role} words, and no corpus of them is named; name it: --{role}")
        check_corpus(engine, str(parameters[parameter]))
        found[parameter] = parameters[parameter]
    return found


def _further_part(engine: Engine, first: MetricPart, query: Query, values: Mapping[str, object]) -> MetricPart:
    """Return a further metric of the same table.

    It has no items, so that its scores are NULL, if its items lack a grouping column or a column of the condition.
    """
    without_items = MetricPart(query, "", tuple(one.without_items for one in first.by), NO_ITEMS)
    try:
        by = find_groupings(engine, query, [one.name for one in first.by], values)
        named = find_in_condition(engine, query, first.where, values)
    except (UnknownName, UsageError):
        return without_items
    found = {one.name: one for one in named}
    outside = {name.lower() for name in names_in_condition(first.where, subqueries=False)}
    needed = [one for one in first.named if one.table is None or one.name.lower() in outside]
    if not found.keys() >= {one.name for one in needed}:
        return without_items
    pairs = [*zip(by, first.by, strict=True), *((found[one.name], one) for one in needed)]
    return MetricPart(query, "", by, first.where, named) if all(_is_same(*pair) for pair in pairs) else without_items


def _is_same(column: ItemColumn, of_first: ItemColumn) -> bool:
    """Whether a column of items is that of the first metric's, whose own columns are those of words."""
    return column.table == of_first.table or (of_first.table is None and column.table == "words")


def _query_read(part: MetricPart, columns: Sequence[str]) -> Query:
    """Return the query whose rows are summed: the metric's, or its totals, where groups, the condition and further
    columns name nothing else of its items."""
    totals = part.query.totals_query
    if totals is None or part.where == NO_ITEMS or catalog.contains_query(part.where):
        return part.query
    read = (*part.by, *part.named)
    if any(one.table not in (None, *OF_SENTENCES) for one in read):
        return part.query
    named = {column_of(one.name) for one in read if not one.joins}.union(columns)
    counts = {count.name for count in part.query.counts}
    kept = {column.name for column in totals.columns} - counts
    return totals if not ({column.name for column in part.query.columns} - kept).intersection(named) else part.query


def _attributes_named(part: MetricPart) -> list[Attribute]:
    """Return the attributes that the groups and the condition of a part name."""
    return attributes_named(part.query, {column_of(one.name) for one in (*part.by, *part.named) if not one.joins})
