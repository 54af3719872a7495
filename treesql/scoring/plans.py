"""Plans of scoring: the SQL of several metrics of the same corpora, with their audits and values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from treesql import catalog
from treesql.catalog import Query, documents
from treesql.catalog.attributes import OF_WORDS, Attribute, attributes_named, further_corpora
from treesql.engines import Engine
from treesql.engines.sentence_ranges import of_range
from treesql.errors import NumberTooLarge, StatementError, UnknownColumn, UnknownName, UsageError
from treesql.scoring.audits import (
    add_defaults,
    check_audit,
    check_corpora,
    check_corpus,
    check_distinct_scores,
    declared_values,
)
from treesql.scoring.item_columns import (
    OF_SENTENCES,
    ItemColumn,
    column_of,
    find_groupings,
    find_in_condition,
    names_in_condition,
    unknown_column,
)
from treesql.scoring.sql import (
    MAX_COUNT,
    NO_ITEMS,
    MetricPart,
    execute,
    of_partial_sums,
    partial_sums_statement,
    selected_items,
    sum_columns,
    with_clause,
)
from treesql.scoring.word_alignments import pair_words


@dataclass(frozen=True)
class ScoringPlan:
    """The SQL of several metrics of the same corpora, with their audits and the values of their parameters."""

    parts: tuple[MetricPart, ...]
    values: Mapping[str, object]
    audits: tuple[Query, ...]
    expressions: Sequence[tuple[str, str]]
    faults: str

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
            self.values.get("match") == "sent_id"
            or any(catalog.contains_query(part.where) for part in self.parts)
            or named.intersection(documents.MARKS)
            or catalog.reads_whole_corpora(queries, {name for name, value in self.values.items() if value})
        )

    def partial_sums(self, engine: Engine, *, by_sentence: bool) -> pa.Table:
        """Return the sums of the counts of a block of sentences, which add up. Raises Incomparable, QueryError."""
        found, has_faults = self._sums(engine, self._sums_statement(by_sentence=by_sentence))
        if has_faults:
            self.check_audits(engine)
        return found

    def sums_of(self, engine: Engine, sentences: range, *, by_sentence: bool) -> pa.Table | None:
        """Return the same of a range of sentences; None where audits find faults in it, and none in the whole.

        Raises Incomparable, QueryError.
        """
        sql = of_range(engine, self._sums_statement(by_sentence=by_sentence), sentences)
        found, has_faults = self._sums(engine, sql)
        if has_faults:
            self.check_audits(engine)
        return None if has_faults else found

    def _sums_statement(self, *, by_sentence: bool) -> str:
        return partial_sums_statement(self.expressions, self.parts, self.faults, by_sentence=by_sentence)

    def _sums(self, engine: Engine, sql: str) -> tuple[pa.Table, bool]:
        """Return the rows of sums, and whether audits find faults."""
        import pyarrow.compute as pc  # here, for it takes as long to import as the rest of pyarrow

        found = self.execute(engine, sql)
        is_sum = pc.less(found["part"], len(self.parts))
        return found.filter(is_sum), any(found.filter(pc.invert(is_sum))["sum_0"].to_pylist())

    def counts_of(self, sums: pa.Table) -> dict[str, int]:
        """Return the counts that are shown, over all groups of partial sums."""
        import pyarrow.compute as pc  # here, as above

        found: dict[str, int] = {}
        for at, part in enumerate(self.parts):
            rows = sums.filter(pc.equal(sums["part"], at))
            for name, count in zip(sum_columns(self.parts), part.query.counts, strict=False):
                if count in part.query.shown_counts:
                    found[count.name] = found.get(count.name, 0) + (pc.sum(rows[name]).as_py() or 0)
        return found

    def over_partial_sums(self, table: str, *, by_sentence: bool) -> ScoringPlan:
        """Return the plan that computes the same scores from the partial sums of all blocks, in a table."""
        parts = of_partial_sums(self.parts, table, by_sentence=by_sentence)
        return replace(self, parts=parts, audits=(), expressions=(), faults="")

    def _check_sizes(self, engine: Engine) -> None:
        """Raise UsageError if a fractional count cannot be summed: it is infinite, NaN or huge."""
        for part in self.parts:
            for count in part.query.counts:
                if count.type != "DOUBLE":
                    continue
                sql = (
                    f"{with_clause(self.expressions)}SELECT i.sentence, i.{count.name}\n"
                    f"FROM {selected_items(part)} AS i\n"
                    f"WHERE NOT abs(i.{count.name}) < {MAX_COUNT}\nORDER BY i.sentence, i.{count.name} LIMIT 1"
                )
                for row in execute(engine, sql, part.query.name, self.values).to_pylist():
                    value = f"{count.name} of sentence {row['sentence']} is {row[count.name]:g}"
                    raise UsageError(f"{part.query.name}: {value}, and only numbers below {MAX_COUNT:g} are summed")


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

    columns: further columns of the items that are read. of_blocks: whether the words of every block are compared by
    `word_alignments.check_block`. Raises UsageError, UnknownName, Incomparable.
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
