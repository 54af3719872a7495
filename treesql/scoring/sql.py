"""SQL that sums a metric's counts per group and evaluates its scores over the sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from treesql.catalog import Query, Statement
from treesql.catalog.attributes import Attribute
from treesql.catalog.header import NAMED_TERM, SUM, Column, Score
from treesql.catalog.schemas import quote
from treesql.engines import Engine
from treesql.errors import StatementError
from treesql.kernels.fixed_point import UNITS
from treesql.scoring.item_columns import ItemColumn, joins_of, with_column_names

FAULTS = "faults found"
"""Column of the number of faults that audits find. The blank keeps it apart from any score's name."""

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
    columns of the items. sums: whether the sums of all counts are further columns of the scores. summed: whether the
    items are sums of items, as `partial_sums_statement` returns them.
    """

    query: Query
    items: str
    by: tuple[ItemColumn, ...] = ()
    where: str | None = None
    named: tuple[ItemColumn, ...] = ()
    attributes: tuple[tuple[Attribute, str], ...] = ()
    sums: bool = False
    summed: bool = False

    @property
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


def scores_statement(parts: Sequence[MetricPart], faults: str) -> str:
    """Return SQL for the parts joined on their groups, each column once, with `sent_id` after `sentence`.

    faults: SQL for the number of faults that audits find, in a further column; empty without audits.
    """
    first = parts[0]
    columns = [f"{faults} AS {quote(FAULTS)}"] if faults else []
    joined = f"(\n{_scores_of_part(first)}\n) AS p0"
    names = {grouping.name for grouping in first.by}
    for grouping in first.by:
        columns.append(f"{grouping.label(f'p0.{quote(grouping.name)}')} AS {quote(grouping.name)}")
        if grouping.is_sentence and "sent_id" not in names:
            columns.append("l.sent_id")
            condition = f"l.corpus = ${first.query.reference_corpus} AND l.sentence = p0.sentence"
            joined += f"\n{'' if first.is_by_sentence else 'LEFT '}JOIN sentences AS l ON {condition}"
    for at, part in enumerate(parts):
        columns += [f"p{at}.{name}" for name in part.columns if name not in names]
        names.update(part.columns)
        if at:
            same = [f"(p{at}.{one} IS NOT DISTINCT FROM p0.{one})" for one in _key_names(first)]
            condition = " AND ".join(same) or "TRUE"
            joined += f"\nLEFT JOIN (\n{_scores_of_part(part)}\n) AS p{at} ON {condition}"
    order = "\nORDER BY " + ", ".join(f"p0.{one} NULLS LAST" for one in _key_names(first)) if first.by else ""
    return f"SELECT {', '.join(columns)}\nFROM {joined}{order}"


def _scores_of_part(part: MetricPart) -> str:
    """Return SQL for one metric's groups with the counts that are shown and the scores."""
    terms = _terms_of_part(part)
    if terms:
        return _scores_by_terms(part, terms)
    columns = [f"CAST(sum(s.{c.name}) AS {c.type}) AS {c.name}" for c in part.query.counts if c.shown]
    columns += [f"{score.expression} AS {score.name}" for score in part.scores]
    if part.sums:
        columns += [f"CAST(sum(s.{c.name}) AS {c.type}) AS {sum_name(part.query, c)}" for c in part.query.counts]
    keys = [f"s.{name}" for name in _key_names(part)]
    group = f"\nGROUP BY {', '.join(keys)}" if keys else ""
    return f"SELECT {', '.join([*keys, *columns])}\nFROM (\n{_sums_of_part(part)}\n) AS s{group}"


def _terms_of_part(part: MetricPart) -> dict[str, str]:
    """Return the terms of a metric's scores as they are written, each below those that it names; none if a name has two
    meanings."""
    named = [term for score in part.scores for term in score.terms]
    found = dict(named)
    return found if all(found[name] == written for name, written in named) else {}


def _scores_by_terms(part: MetricPart, terms: Mapping[str, str]) -> str:
    """Return what `_scores_of_part` returns, with every term computed once in a SELECT below those that name it.

    Expressions with their terms expanded are long, and an engine needs more time to plan them than to run them.
    """
    keys, counts = _key_names(part), [count.name for count in part.query.counts]
    columns = [*keys, *(_sum_column(name) for name in counts)]
    sums = [f"sum(s.{name}) AS {_sum_column(name)}" for name in counts]
    group = f"\nGROUP BY {', '.join(f's.{key}' for key in keys)}" if keys else ""
    sql = f"SELECT {', '.join([*(f's.{key}' for key in keys), *sums])}\nFROM (\n{_sums_of_part(part)}\n) AS s{group}"
    levels: dict[str, int] = {}
    for name, written in terms.items():
        levels[name] = 1 + max((levels[one] for one in NAMED_TERM.findall(written)), default=0)
    for level in sorted(set(levels.values())):
        new = [name for name in terms if levels[name] == level]
        computed = [f"{_by_columns(terms[name])} AS {_term_column(name)}" for name in new]
        sql = f"SELECT {', '.join([*(f't.{one}' for one in columns), *computed])}\nFROM (\n{sql}\n) AS t"
        columns += map(_term_column, new)
    shown = [*(f"t.{key}" for key in keys)]
    shown += [f"CAST(t.{_sum_column(c.name)} AS {c.type}) AS {c.name}" for c in part.query.counts if c.shown]
    shown += [f"{_by_columns(score.written or score.expression)} AS {score.name}" for score in part.scores]
    if part.sums:
        of_counts = part.query.counts
        shown += [f"CAST(t.{_sum_column(c.name)} AS {c.type}) AS {sum_name(part.query, c)}" for c in of_counts]
    return f"SELECT {', '.join(shown)}\nFROM (\n{sql}\n) AS t"


def _by_columns(written: str) -> str:
    """Return an expression with the columns of sums and terms in place of these."""
    with_terms = NAMED_TERM.sub(lambda named: f"t.{_term_column(named[1])}", written)
    return SUM.sub(lambda summed: f"t.{_sum_column(summed[1])}", with_terms)


def _sum_column(count: str) -> str:
    return quote(f"sum of {count}")


def _term_column(term: str) -> str:
    return quote(f"term {term}")


def _key_names(part: MetricPart) -> list[str]:
    """Return the quoted names of the groupings."""
    return [quote(one.name) for one in part.by]


def _sums_of_part(part: MetricPart) -> str:
    """Return SQL for the counts summed per group. A sentence without items is a group, too."""
    query = part.query
    items = selected_items(part)
    summed = "{}" if part.where == NO_ITEMS else "coalesce({}, 0)"  # scores of a part without items are NULL
    counts = ", ".join(f"CAST({summed.format(summed_column(c, part))} AS {c.type}) AS {c.name}" for c in query.counts)
    if not part.by:
        return f"SELECT {counts}\nFROM {items} AS i"
    if part.is_by_sentence:
        return (
            f"SELECT l.sentence, {counts}\nFROM sentences AS l\nLEFT JOIN {items} AS i ON i.sentence = l.sentence\n"
            f"WHERE l.corpus = ${query.reference_corpus}\nGROUP BY l.sentence"
        )
    keys = ", ".join(f"{one.key} AS {quote(one.name)}" for one in part.by)
    group = ", ".join(one.key for one in part.by)
    return f"SELECT {keys}, {counts}\nFROM {items} AS i\n{joins_of(part.by)}\nGROUP BY {group}"


def sum_name(query: Query, count: Column) -> str:
    """Return the name of the column with the sum of a count, which no score or count of another metric has."""
    return f"{query.name}__{count.name}"


def sum_columns(parts: Sequence[MetricPart]) -> list[str]:
    """Return the names of the columns of sums in `sentence_sums_statement`: one for every count of the largest part."""
    return [f"sum_{at}" for at in range(max(len(part.query.counts) for part in parts))]


def sentence_sums_statement(expressions: Sequence[tuple[str, str]], parts: Sequence[MetricPart], faults: str) -> str:
    """Return SQL for the counts of all parts summed per sentence and group, by numbers of parts and of groups.

    Groups are numbered in the order of the first part's; without grouping all have the number 0. faults: SQL for the
    number of faults that audits find, in a further row with the part after the last one; empty without audits.
    """
    names = sum_columns(parts)
    counted = "\nUNION ALL\n".join(_sums_by_sentence(at, part, names) for at, part in enumerate(parts))
    sums = ", ".join(f"c.{name}" for name in names)
    if not parts[0].by:
        select = f"SELECT c.part, c.sentence, 0 AS group_number, {sums}\nFROM counted AS c"
    else:
        keys = [f"key_{at}" for at in range(len(parts[0].by))]
        order = ", ".join(f"o.{key} NULLS LAST" for key in keys)
        distinct = f"SELECT DISTINCT {', '.join(f'f.{key}' for key in keys)} FROM counted AS f WHERE f.part = 0"
        same = " AND ".join(f"(g.{key} IS NOT DISTINCT FROM c.{key})" for key in keys)
        select = (
            f"SELECT c.part, c.sentence, CAST(g.number AS INTEGER) AS group_number, {sums}\nFROM counted AS c\n"
            f"JOIN (SELECT {', '.join(f'o.{key}' for key in keys)},\n"
            f"             row_number() OVER (ORDER BY {order}) - 1 AS number\n"
            f"      FROM ({distinct}) AS o) AS g\n  ON {same}"
        )
    if faults:
        row = [f"CAST({faults} AS DOUBLE)", *["CAST(NULL AS DOUBLE)"] * (len(names) - 1)]
        select += f"\nUNION ALL\nSELECT {len(parts)}, 0, 0, {', '.join(row)}"
    return with_clause([*expressions, ("counted", counted)]) + select


def _sums_by_sentence(at: int, part: MetricPart, names: Sequence[str]) -> str:
    """Return SQL for the sums of a part per sentence and group; columns beyond its counts are NULL."""
    sums = [f"CAST(coalesce({summed_column(c, part)}, 0) AS DOUBLE)" for c in part.query.counts]
    columns = _padded(sums, names, "DOUBLE")
    keys = "".join(f", {one.key} AS key_{number}" for number, one in enumerate(part.by))
    group = "".join(f", {one.key}" for one in part.by)
    return (
        f"SELECT {at} AS part, i.sentence{keys}, {columns}\n"
        f"FROM {selected_items(part)} AS i\n{joins_of(part.by)}\nGROUP BY i.sentence{group}"
    )


def _padded(values: Sequence[str], names: Sequence[str], kind: str) -> str:
    """Return SQL for columns of these names; those beyond the values are NULL."""
    values = [*values, *[f"CAST(NULL AS {kind})"] * (len(names) - len(values))]
    return ", ".join(f"{value} AS {name}" for value, name in zip(values, names, strict=True))


def summed_column(count: Column, part: MetricPart) -> str:
    """Return SQL for the sum of a count over items `i`, equal for any order of rows and number of threads.

    Fractional counts are summed as whole numbers of 1 / UNITS, so that no partial sum is rounded.
    """
    if count.type != "DOUBLE":
        return f"sum(i.{count.name})"
    return f"CAST({_whole_sum(count, part)} AS DOUBLE) / {UNITS}"


def _whole_sum(count: Column, part: MetricPart) -> str:
    """Return SQL for the sum of a count over items `i` as a whole number, of fractional counts in 1 / UNITS."""
    value = f"i.{count.name}"
    if count.type == "DOUBLE" and not part.summed:
        value = f"round({value} * {UNITS})"
    return f"sum(CAST({value} AS {WHOLE_SUM}))"


def partial_sums_statement(
    expressions: Sequence[tuple[str, str]], parts: Sequence[MetricPart], faults: str, *, by_sentence: bool
) -> str:
    """Return SQL for whole sums of the counts of all parts per group, and per sentence where asked for.

    Its rows add up: those of several blocks of sentences, one below the other, are what `of_partial_sums` takes. The
    row of the part after the last one has the number of faults in its first sum; faults: SQL for it, or nothing.
    """
    names = sum_columns(parts)
    counted = [_partial_sums(at, part, names, by_sentence=by_sentence) for at, part in enumerate(parts)]
    found = [f"CAST({faults or 0} AS {PARTIAL_SUM})", *[f"CAST(NULL AS {PARTIAL_SUM})"] * (len(names) - 1)]
    keys = ["NULL"] * (by_sentence + len(parts[0].by))
    counted.append(f"SELECT {', '.join([str(len(parts)), *keys, *found])}")
    return with_clause(expressions) + "\nUNION ALL\n".join(counted)


def _partial_sums(at: int, part: MetricPart, names: Sequence[str], *, by_sentence: bool) -> str:
    """Return SQL for the whole sums of a part; columns beyond its counts are NULL."""
    keys = [("i.sentence", "sentence")] if by_sentence else []
    keys += [(one.key, f"key_{number}") for number, one in enumerate(part.by)]
    sums = [f"CAST({_whole_sum(c, part)} AS {PARTIAL_SUM})" for c in part.query.counts]
    named = "".join(f", {value} AS {name}" for value, name in keys)
    group = f"\nGROUP BY {', '.join(value for value, _ in keys)}" if keys else ""
    return (
        f"SELECT {at} AS part{named}, {_padded(sums, names, PARTIAL_SUM)}\n"
        f"FROM {selected_items(part)} AS i\n{joins_of(part.by)}{group}"
    )


def of_partial_sums(parts: Sequence[MetricPart], table: str, *, by_sentence: bool) -> tuple[MetricPart, ...]:
    """Return parts whose items are rows of `partial_sums_statement` in a table of this name."""
    names = sum_columns(parts)
    found = []
    for at, part in enumerate(parts):
        columns = ["s.sentence"] if by_sentence else []
        columns += [f"s.{name} AS {c.name}" for name, c in zip(names, part.query.counts, strict=False)]
        columns += [f"s.key_{number} AS {quote(one.name)}" for number, one in enumerate(part.by)]
        items = f"(SELECT {', '.join(columns)} FROM {quote(table)} AS s WHERE s.part = {at})"
        by = tuple(replace(one, value=f"i.{quote(one.name)}", joins=(), counted=True) for one in part.by)
        found.append(
            replace(
                part,
                items=items,
                by=by,
                named=(),
                attributes=(),
                summed=True,
                where=part.where if part.where == NO_ITEMS else None,
            )
        )
    return tuple(found)


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


def with_clause(expressions: Sequence[tuple[str, str]]) -> str:
    """Return `WITH ...` for common table expressions, or nothing."""
    return Statement(tuple(expressions), "").prefix


def execute(engine: Engine, sql: str, name: str, values: Mapping[str, object], *, aggregated: bool = False) -> pa.Table:
    """Return the rows of a SELECT. Raises QueryError, which names the query."""
    try:
        return engine.table(sql, values, aggregated=aggregated)
    except StatementError as error:
        raise error.of_query(name) from None
