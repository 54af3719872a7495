"""The rules of schemas/ for the rows of a corpus: of sentences that were changed through SQL, and of data sets as they
are read, block by block.

A rule is an SQL query for the rows that break it. Here it runs over tables that hold one corpus: the rows that
`CheckedRows` names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from treesql.catalog import schemas
from treesql.catalog.schemas import Derived, Rule, Table, quote
from treesql.catalog.sql_text import words
from treesql.errors import FAULTS_SHOWN, MAX_NAMED, Diagnostic
from treesql.kernels.arrays import Ints
from treesql.readers.dependencies.columns import FINDINGS, WITH_FEATURES, Finding, RepeatedFeatures

NO_SENTENCES: Ints = np.zeros(0, dtype=np.int64)

MAX_SHOWN = 60
"""Maximum number of characters of a value in an error."""


@dataclass(frozen=True)
class RuleFault:
    """A row that breaks a rule: its table, its key as far as it is known, what is wrong, and what to do."""

    table: str
    key: Mapping[str, object]
    what: str
    hint: str


@dataclass(frozen=True)
class CheckedRows:
    """The rows of a corpus that rules are about, on a connection.

    tables: by table, SQL for the rows of the sentences that are checked; whole: for those of all sentences. values: of
    the parameters of that SQL. sorted: whether rows have to stand in the order of their keys. sentences, characters:
    the numbers of those before the rows. limit: maximum number of faults of a rule. stored: by table, the rows of
    `tables` where they are in memory, of which some columns may not have been read.
    """

    connection: duckdb.DuckDBPyConnection
    kind: str
    tables: Mapping[str, str]
    whole: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, object] = field(default_factory=dict)
    sorted: bool = False
    sentences: int = 0
    characters: int = 0
    limit: int = FAULTS_SHOWN
    stored: Mapping[str, pa.Table] | None = None

    @cached_property
    def columns(self) -> Mapping[str, frozenset[str]] | None:
        """By table, the columns that its rows have; None where they have all."""
        return self.stored and {name: frozenset(rows.column_names) for name, rows in self.stored.items()}

    def has(self, sql: str) -> bool:
        """Whether all tables and columns that SQL names were read."""
        return all(
            name in self.tables and (self.columns is None or named <= self.columns[name])
            for name, named in schemas.columns_read(sql).items()
        )

    def statement(self, sql: str, *, whole: bool = False) -> str:
        """SQL that reads tables of one corpus, as a statement that reads the rows."""
        tables = self.whole if whole else self.tables
        parts = [f"{quote(name)} AS NOT MATERIALIZED ({tables[name]})" for name in sorted(schemas.tables_read(sql))]
        if " before AS " in sql:
            numbers = f"SELECT {self.sentences} AS sentences, CAST({self.characters} AS BIGINT) AS characters"
            parts.append(f"before AS ({numbers})")
        return f"WITH {', '.join(parts)}\n{sql}" if parts else sql

    def execute(self, sql: str, *, whole: bool = False) -> duckdb.DuckDBPyConnection:
        """Run SQL over the rows."""
        return self.connection.execute(self.statement(sql, whole=whole), self.values)

    def arrow(self, sql: str, *, whole: bool = False) -> pa.Table:
        """The rows of a SELECT."""
        return self.connection.sql(self.statement(sql, whole=whole), params=dict(self.values)).to_arrow_table()

    def first(self, sql: str, *, whole: bool = False) -> list[dict[str, Any]]:
        """The first rows of a SELECT by its columns. That there is none is found first, without the others."""
        if not self.execute(f"SELECT 1 FROM ({sql}) AS found LIMIT 1", whole=whole).fetchall():
            return []
        relation = self.execute(f"SELECT * FROM ({sql}) AS found ORDER BY ALL LIMIT {self.limit}", whole=whole)
        names = [column[0] for column in relation.description or ()]
        return [dict(zip(names, row, strict=True)) for row in relation.fetchall()]


def own_key(table: Table) -> tuple[str, ...]:
    """The columns of a table's key without the corpus."""
    return tuple(name for name in table.key if name != "corpus")


def list_columns(names: Collection[str], alias: str = "t") -> str:
    """Columns of a table for SQL."""
    return ", ".join(f"{alias}.{quote(name)}" for name in names)


def find_structure_faults(rows: CheckedRows, table: Table) -> Iterator[RuleFault]:
    """Rows of sentences that are not there, and keys that are there twice, unsorted, or not numbered without gaps."""
    key = own_key(table)
    if "sentence" in key and table.name != "sentences":
        sql = f"""
        SELECT DISTINCT t.sentence FROM {table.name} AS t
        WHERE NOT EXISTS (SELECT 1 FROM sentences AS s WHERE s.sentence = t.sentence)"""
        for row in rows.first(sql):
            what, hint = "it has rows and is not in sentences", "add it to sentences, or delete its rows"
            yield RuleFault(table.name, row, what, hint)
    *group, number = key
    columns, order = list_columns(key), "" if rows.sorted else f"ORDER BY {list_columns(key)}"
    gaps, start = "FALSE", table.numbered_from or 0
    if table.numbered_from is not None:
        within = " AND ".join([f"k.above.{quote(name)} = k.{quote(name)}" for name in group] or ["k.above IS NOT NULL"])
        first = f"(SELECT b.sentences FROM before AS b) + {start}" if table.name == "sentences" else str(start)
        gaps = f"k.{quote(number)} <> CASE WHEN {within} THEN k.above.{quote(number)} + 1 ELSE {first} END"
    packed = ", ".join(f"{quote(name)} := t.{quote(name)}" for name in key)
    sql = f"""
    SELECT {list_columns(key, "k")}, k.own = k.above AS again, k.above > k.own AS back,
           CASE WHEN {gaps} THEN k.above.{quote(number)} END AS number_above
    FROM (SELECT {columns}, struct_pack({packed}) AS own, lag(struct_pack({packed})) OVER ({order}) AS above
          FROM {table.name} AS t) AS k
    WHERE k.above >= k.own OR {gaps}"""
    for row in rows.first(sql, whole=not rows.sorted and not group):
        again, back, above = (row.pop(name) for name in ("again", "back", "number_above"))
        if again or back:
            what = "it is there twice" if again else "it belongs before the row above"
            hint = "keep one of these rows" if again else "sort the rows by their keys"
        else:
            what = f"{number} {row[number]} is not the next one" + ("" if above is None else f" after {above}")
            hint = f"number them {start}, {start + 1}, {start + 2}, ... without gaps"
        yield RuleFault(table.name, row, what, hint)


def column_rules(table: Table, names: Collection[str]) -> Iterator[Rule]:
    """The rules of single columns: those that are required, the CHECKs, and that texts have no NUL byte."""
    hint = "write a value that a file can have"
    for column in table.columns:
        if column.name not in names:
            continue
        value, listed = f"t.{quote(column.name)}", column.type.endswith("[]")
        if column.required:
            yield Rule(column.name, f"{column.name} is missing", "write a value", f"{value} IS NULL")
        if listed and not column.type.startswith("STRUCT"):
            where = f"list_count({value}) < len({value})"
            yield Rule(column.name, f"an item of {column.name} is missing", "write a value", where)
        if column.check and words(column.check) & {other.name for other in table.columns} <= {*names}:
            what = f"{column.name} is {{{column.name}}}, but {column.check} must hold"
            yield Rule(column.name, what, hint, f"NOT ({column.check})")
        if column.type.startswith("VARCHAR"):
            text = f"array_to_string({value}, '')" if listed else value
            yield Rule(
                column.name, f"{column.name} has a NUL byte", "take it out", f"contains({text}, chr(0))", signs=True
            )


def find_row_faults(rows: CheckedRows, table: Table, rules: Sequence[Rule]) -> Iterator[RuleFault]:
    """Rows that break rules of their table: first those of one row, in one pass if no row breaks any."""
    each = [rule_part for rule in rules for rule_part in rule.each]
    alone = [rule for rule in each if rule.where]
    if alone:
        any_of = " OR ".join(f"({rule.where})" for rule in alone)
        if not rows.execute(f"SELECT 1 FROM {table.name} AS t WHERE {any_of} LIMIT 1").fetchall():
            each = [rule for rule in each if not rule.where]
    for rule in each:
        sql = rule.rows or f"SELECT t.* FROM {table.name} AS t WHERE {rule.where}"
        for row in rows.first(sql, whole=rule.whole):
            key = {name: row[name] for name in own_key(table) if name in row}
            shown = {name: _shown(value, quotes="") for name, value in row.items()}
            yield RuleFault(table.name, key, rule.what.format_map(shown), rule.hint)


def find_stale_values(
    rows: CheckedRows, table: Table, derived: Derived, made: str, computed: pa.Table | None
) -> Iterator[RuleFault]:
    """Rows whose derived columns are not those of `made`, a SELECT; of a derived table, rows that it has and those that
    it lacks. computed: the rows of `made` where a function has computed them."""
    key = own_key(table)
    known = table.names if rows.columns is None else rows.columns[table.name]
    columns = [name for name in derived.columns or table.names if name not in table.key and name in known]
    if _is_as_derived(rows, table, derived, columns, made, computed):
        return
    same = " AND ".join(f"t.{quote(name)} = m.{quote(name)}" for name in key)
    shown = ", ".join(
        f"t.{quote(name)} AS {quote(name)}, m.{quote(name)} AS {quote(f'made {name}')}" for name in columns
    )
    differ = [f"t.{quote(name)} IS DISTINCT FROM m.{quote(name)}" for name in columns]
    join = "JOIN" if derived.columns else "FULL JOIN"
    if not derived.columns:
        differ += ["t.sentence IS NULL", "m.sentence IS NULL"]
    keys = ", ".join(f"coalesce(t.{quote(name)}, m.{quote(name)}) AS {quote(name)}" for name in key)
    sql = f"""
    SELECT t.sentence IS NULL AS lacks, {", ".join(filter(None, [keys, shown]))}, m.sentence IS NULL AS surplus
    FROM {table.name} AS t {join} ({made}) AS m ON {same}
    WHERE {" OR ".join(differ)}"""
    for row in rows.first(sql, whole=derived.whole):
        place = {name: row[name] for name in key}
        what = f"it is not derived from {derived.source}"
        if row["lacks"]:
            shown_key = ", ".join(f"{name} {value}" for name, value in place.items())
            what = f"{shown_key} is derived from {derived.source}, and missing"
            place = {"sentence": row["sentence"]}
        elif not row["surplus"]:
            name = next(name for name in columns if row[name] != row[f"made {name}"])
            what = f"{name} is {_shown(row[name])}, and by {derived.source} {_shown(row[f'made {name}'])}"
        yield RuleFault(table.name, place, what, f"change {derived.source}, from which it is derived")


def _is_as_derived(
    rows: CheckedRows, table: Table, derived: Derived, columns: Sequence[str], made: str, computed: pa.Table | None
) -> bool:
    """Whether columns are those that are derived, row by row, if both are in one order; whether rows have the same sums
    of hashes. False where that cannot be told."""
    if derived.columns and rows.stored is not None:
        there = rows.stored[table.name].select(columns)
        given = computed or rows.arrow(made)
        return bool(there.equals(given.select(there.column_names).cast(there.schema)))
    if derived.columns:
        return False
    names = list_columns([*own_key(table), *columns], "found")
    stored_sums, derived_sums = (
        rows.execute(f"SELECT count(*), sum(hash({names})) FROM ({sql}) AS found", whole=derived.whole).fetchall()
        for sql in (f"FROM {table.name}", made)
    )
    return stored_sums == derived_sums


def _shown(value: object, quotes: str = "`") -> str:
    if isinstance(value, str):
        return f"{quotes}{value[:MAX_SHOWN]}{quotes}"
    return "NULL" if value is None else str(value).lower() if isinstance(value, bool) else str(value)[:MAX_SHOWN]


ROOTS, CYCLES, IDS, FEATURES = range(len(FINDINGS))
"""The places of FINDINGS."""

SEVERAL_ROOTS = """
SELECT w.sentence FROM words AS w WHERE w.head = 0 AND w.depth IS NOT NULL GROUP BY w.sentence HAVING count(*) > 1"""
IN_CYCLES = "SELECT DISTINCT w.sentence FROM words AS w WHERE w.head IS NOT NULL AND w.depth IS NULL"
WITH_PARTS = "SELECT t.sentence, t.feats FROM {table} AS t WHERE contains(t.feats, '|')"
REPEATED_IDS = """
SELECT n.sentence
FROM (SELECT s.sentence, row_number() OVER (PARTITION BY {by} ORDER BY s.sentence) AS place,
             bool_or(s.changed) OVER (PARTITION BY {by}) AS changed
      FROM sentences AS s WHERE s.sent_id IS NOT NULL) AS n
WHERE n.place > 1 AND n.changed"""
"""SQL for the sentences of FINDINGS: for FEATS that may name a feature twice, and for ids that several sentences have,
some of them changed."""

UNLIKELY = "SELECT count(*) FROM alignments AS a WHERE a.confidence < 0 OR a.confidence > 1"
"""SQL for the number of links that are warned of."""


def find_warned(rows: CheckedRows, features: RepeatedFeatures) -> list[Ints]:
    """The sentences of each of FINDINGS, but for repeated ids, ascending."""
    warned = [NO_SENTENCES for _ in FINDINGS]
    for place, sql in ((ROOTS, SEVERAL_ROOTS), (CYCLES, IN_CYCLES)):
        if rows.has(sql):
            warned[place] = np.sort(np.asarray(rows.execute(sql).fetchnumpy()["sentence"], np.int64))
    for sql in (WITH_PARTS.format(table=table) for table in WITH_FEATURES):
        if rows.has(sql):
            doubled = [features.sentences_of(batch) for batch in rows.arrow(sql).to_batches()]
            warned[FEATURES] = np.unique(np.concatenate([warned[FEATURES], *doubled]))
    return warned


def warnings_of(
    warned: Sequence[Ints], ids: Callable[[Ints], list[str | None]], noun: str, path: str, shift: int
) -> Iterator[Diagnostic]:
    """The warnings about sentences of each of FINDINGS. noun: what numbers of sentences, to which `shift` is added, are
    called where they have no ids."""
    for texts, sentences in zip(FINDINGS, warned, strict=True):
        if len(sentences):
            finding, shown = Finding(*texts, noun), sentences[:MAX_NAMED]
            finding.add(np.arange(len(shown)), ids(shown), shown + shift, len(sentences))
            yield finding.warning(path)
