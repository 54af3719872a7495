"""The rules of schemas/ for the rows of a corpus: of sentences that were changed through SQL, and of data sets as they
are read, block by block.

A rule is an SQL query for the rows that break it. Here it runs over tables that hold one corpus: the rows that
`CheckedRows` names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from treesql import readers
from treesql.catalog import schemas
from treesql.catalog.kinds import KINDS
from treesql.catalog.schemas import Rule, Table, quote
from treesql.catalog.sql_text import words
from treesql.errors import FAULTS_SHOWN, MAX_NAMED, Diagnostic
from treesql.kernels.arrays import Ints
from treesql.readers.dependencies.columns import FINDINGS, WITH_FEATURES, Finding, RepeatedFeatures
from treesql.runtime.arrays import array_of, call, distinct, flags, integers

NO_SENTENCES: Ints = np.zeros(0, dtype=np.int64)

NO_NUMBER = np.iinfo(np.int64).min
"""An integer below all others, in place of NULL."""

MAX_SHOWN = 60
"""Maximum number of characters of a value in an error."""


_BOUND = re.compile(r'NOT \("?(?P<upper>\w+)"? >= (?:(?P<number>\d+)|(?P<lower>\w+))\)')
"""A rule that numbers are at least so great, or at least those of another column."""


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
    `tables` where they are in memory, of which some columns may not have been read; what their buffers show is not
    asked in SQL, as a statement takes a millisecond, whatever the number of rows. registered: those of `stored` that
    the connection knows, as statements have named them.
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
    registered: dict[str, pa.Table] = field(default_factory=dict)

    @classmethod
    def in_memory(
        cls,
        connection: duckdb.DuckDBPyConnection,
        kind: str,
        stored: Mapping[str, pa.Table],
        registered: dict[str, pa.Table],
        *,
        sorted: bool = False,
        sentences: int = 0,
        characters: int = 0,
    ) -> CheckedRows:
        """Rows in memory, of which one fault is found. registered: those that the connection knows already."""
        tables = {name: f"FROM {quote(view_of(name))}" for name in stored}
        return cls(connection, kind, tables, tables, {}, sorted, sentences, characters, 1, stored, registered)

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
        return f"WITH {', '.join(parts)}\n{sql}" if parts else sql

    def execute(self, sql: str, *, whole: bool = False) -> duckdb.DuckDBPyConnection:
        """Run SQL over the rows."""
        self._register(sql)
        return self.connection.execute(self.statement(sql, whole=whole), self.values)

    def arrow(self, sql: str, *, whole: bool = False) -> pa.Table:
        """The rows of a SELECT."""
        self._register(sql)
        return self.connection.sql(self.statement(sql, whole=whole), params=dict(self.values)).to_arrow_table()

    def _register(self, sql: str) -> None:
        """Let the connection know the rows in memory that SQL names."""
        for name in schemas.tables_read(sql):
            rows = (self.stored or {}).get(name)
            if rows is not None and self.registered.get(name) is not rows:
                self.connection.register(view_of(name), rows)
                self.registered[name] = rows

    def read(self, table: Table, columns: Sequence[str], *, whole: bool = False) -> pa.Table:
        """Columns of a table, in the order of its key."""
        if self.stored is not None:
            return self.stored[table.name].select(list(columns))
        key = own_key(table)
        order = f" ORDER BY {list_columns(key)}" if key else ""
        return self.arrow(f"SELECT {list_columns(columns)} FROM {table.name} AS t{order}", whole=whole)

    def may_break(self, table: Table, rule: Rule) -> bool:
        """Whether some row may break a rule of a table, as far as the buffers of the columns that it names show."""
        if self.stored is None:
            return True
        if not len(self.stored[table.name]):
            return False
        if bound := _BOUND.fullmatch(rule.where or ""):
            upper = self.stored[table.name][bound["upper"]]
            if bound["lower"]:
                holds = call("greater_equal", upper, self.stored[table.name][bound["lower"]])
                return call("all", holds).as_py() is False
            least = call("min", upper).as_py()
            return least is not None and least < int(bound["number"])
        if bound := rule.bound:
            return not _all_hold(self, table.name, bound)
        if not rule.needs:
            return True
        return any(
            rule.needs in self._values_found(name, column)
            for name, columns in schemas.columns_read(f"{table.name} {rule.sql}").items()
            for column in columns
        )

    def _values_found(self, table: str, column: str) -> frozenset[str]:
        if (table, column) not in self._found:
            self._found[table, column] = find_values((self.stored or {})[table][column])
        return self._found[table, column]

    @cached_property
    def _found(self) -> dict[tuple[str, str], frozenset[str]]:
        return {}

    def first(self, sql: str, *, whole: bool = False) -> list[dict[str, Any]]:
        """The first rows of a SELECT by its columns. That there is none is found first, without the others."""
        if not self.execute(f"SELECT 1 FROM ({sql}) AS found LIMIT 1", whole=whole).fetchall():
            return []
        relation = self.execute(f"SELECT * FROM ({sql}) AS found ORDER BY ALL LIMIT {self.limit}", whole=whole)
        names = [column[0] for column in relation.description or ()]
        return [dict(zip(names, row, strict=True)) for row in relation.fetchall()]


def find_record_faults(record: Mapping[str, object]) -> list[str]:
    """What is wrong with the kind and the format that a row of `corpora` names."""
    return [
        f"{name} is {record[name]!r}, but {name}s are {', '.join(known)}"
        for name, known in (("kind", KINDS), ("format", readers.formats()))
        if record[name] not in known
    ]


def view_of(table: str) -> str:
    """The name by which a connection knows the rows of a table that are in memory."""
    return f"rows of {table}"


def own_key(table: Table) -> tuple[str, ...]:
    """The columns of a table's key without the corpus."""
    return tuple(name for name in table.key if name != "corpus")


def list_columns(names: Collection[str], alias: str = "t") -> str:
    """Columns of a table for SQL."""
    return ", ".join(f"{alias}.{quote(name)}" for name in names)


def find_values(column: pa.ChunkedArray) -> frozenset[str]:
    """Which of `schemas.VALUES` a column has. Of lists, NULL is looked for among their items as well."""
    values, found = column, set()
    if column.null_count:
        found.add(schemas.NULL)
    if column.null_count < len(column):
        found.add(schemas.VALUE)
    if pa.types.is_list(column.type):
        values = pa.chunked_array([call("list_flatten", chunk) for chunk in column.chunks], column.type.value_type)
        if values.null_count:
            found.add(schemas.NULL)
    if pa.types.is_large_string(values.type) or pa.types.is_string_view(values.type):
        found |= {schemas.EMPTY, schemas.OPEN, schemas.CONTROL, schemas.UNMARKED}  # they are laid out in other ways
    if pa.types.is_string(values.type):
        found |= {
            value for texts in values.chunks if len(texts) for value in _find_in_texts(texts, values is not column)
        }
    return frozenset(found)


def _find_in_texts(texts: pa.Array, listed: bool) -> Iterator[str]:
    """Which of `schemas.VALUES` the bytes of texts, of lists or not, show. What NULL hides may be taken for a text of
    one character."""
    _, buffer, data = texts.buffers()
    offsets = np.frombuffer(buffer, np.int32, len(texts) + 1, texts.offset * 4)
    raw, starts, lengths = np.frombuffer(data or b"", np.uint8), offsets[:-1], np.diff(offsets)
    is_empty = lengths == 0
    if texts.null_count and is_empty.any():
        is_empty &= flags(call("is_valid", texts))
    if is_empty.any():
        yield schemas.EMPTY
    if (raw[starts[lengths == 1]] == ord("_")).any():
        yield schemas.OPEN
    if raw[offsets[0] : offsets[-1]].min(initial=ord(" ")) < ord(" "):
        yield schemas.CONTROL
    if listed and (not lengths.all() or (raw[starts] != ord("#")).any()):
        yield schemas.UNMARKED


def _all_hold(rows: CheckedRows, table: str, bound: re.Match[str]) -> bool:
    """Whether a bound holds for all rows of a table in memory; False where buffers do not tell."""
    stored = rows.stored or {}
    of_rows, of_sentences = stored[table], stored[bound["in_table"]]
    upper, sentence = of_sentences[bound["other"]], integers(of_sentences["sentence"])
    ends = np.searchsorted(integers(of_rows["sentence"]), np.append(sentence[:1] - 1, sentence), side="right")
    if upper.null_count or not len(sentence) or ends[0] or ends[-1] < len(of_rows) or (np.diff(sentence) != 1).any():
        return False
    largest = np.repeat(integers(upper) - (bound["operator"] == "<"), np.diff(ends))
    return bool((integers(of_rows[bound["column"]], NO_NUMBER) <= largest).all())


def find_structure_faults(rows: CheckedRows, table: Table) -> Iterator[RuleFault]:
    """Rows of sentences that are not there, and keys that are there twice, unsorted, or not numbered without gaps."""
    if _have_keys_in_order(rows, table):
        return
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
        first = str(start + (rows.sentences if table.name == "sentences" else 0))
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


def _have_keys_in_order(rows: CheckedRows, table: Table) -> bool:
    """Whether keys rise from row to row, are numbered without gaps, and are of sentences that are there. False where
    buffers do not tell."""
    if rows.stored is None:
        return False
    key, stored = own_key(table), rows.stored[table.name]
    if any(stored[name].null_count for name in key):
        return False
    numbers = {name: integers(stored[name]) for name in key if pa.types.is_integer(stored.schema.field(name).type)}
    same = np.ones(max(len(stored) - 1, 0), dtype=np.bool_)
    rises = ~same
    groups = same.copy()
    for name in key:
        groups = same.copy()
        if name in numbers:
            steps = np.diff(numbers[name])
            rises |= same & (steps > 0)
            same &= steps == 0
        else:
            at = np.flatnonzero(same)
            above, below = (call("take", stored[name], array_of(places)) for places in (at, at + 1))
            rises[at] = flags(call("less", above, below))
            same[at] = flags(call("equal", above, below))
    if not rises.all():
        return False
    if table.numbered_from is not None and len(stored):
        start = table.numbered_from + (rows.sentences if table.name == "sentences" else 0)
        number = numbers[key[-1]]
        if number[0] != start or (number[1:] != np.where(groups, number[:-1] + 1, start)).any():
            return False
    if "sentence" not in key or table.name == "sentences" or not len(stored):
        return True
    there = integers(rows.stored["sentences"]["sentence"])
    used = numbers["sentence"]
    return bool(len(there) and (np.diff(there) == 1).all() and there[0] <= used[0] and used[-1] <= there[-1])


def column_rules(table: Table, names: Collection[str]) -> Iterator[Rule]:
    """The rules of single columns: those that are required, the CHECKs, and that texts have no NUL byte."""
    hint = "write a value that a file can have"
    for column in table.columns:
        if column.name not in names:
            continue
        value, listed = f"t.{quote(column.name)}", column.type.endswith("[]")
        if column.required:
            what = f"{column.name} is missing"
            yield Rule(column.name, what, "write a value", f"{value} IS NULL", needs=schemas.NULL)
        if listed and not column.type.startswith("STRUCT"):
            what, where = f"an item of {column.name} is missing", f"list_count({value}) < len({value})"
            yield Rule(column.name, what, "write a value", where, needs=schemas.NULL)
        if column.check and words(column.check) & {other.name for other in table.columns} <= {*names}:
            what = f"{column.name} is {{{column.name}}}, but {column.check} must hold"
            yield Rule(column.name, what, hint, f"NOT ({column.check})")
        if column.type.startswith("VARCHAR"):
            text = f"array_to_string({value}, '')" if listed else value
            what, where = f"{column.name} has a NUL byte", f"contains({text}, chr(0))"
            yield Rule(column.name, what, "take it out", where, needs=schemas.CONTROL)


def find_row_faults(rows: CheckedRows, table: Table, rules: Sequence[Rule]) -> Iterator[RuleFault]:
    """Rows that break rules of their table. Conditions are looked at together first, as hardly ever a row breaks one:
    those of a row in one pass, and costly ones in one over the distinct values of their column."""
    each = [part for rule in rules for part in rule.each if rows.may_break(table, part)]
    together: dict[str, list[Rule]] = defaultdict(list)
    for rule in each:
        if rule.where:
            [column] = {*table.names} & words(rule.where) if rule.distinct else [""]
            together[column].append(rule)
    for column, conditions in together.items():
        source = _distinct_values(rows, table, column) if column else table.name
        any_of = " OR ".join(f"({rule.where})" for rule in conditions)
        if not rows.execute(f"SELECT 1 FROM {source} AS t WHERE {any_of} LIMIT 1").fetchall():
            each = [rule for rule in each if rule not in conditions]
    for rule in each:
        sql = rule.rows or f"SELECT t.* FROM {table.name} AS t WHERE {rule.where}"
        for row in rows.first(sql, whole=rule.whole):
            key = {name: row[name] for name in own_key(table) if name in row}
            shown = {name: shown_value(value, quotes="") for name, value in row.items()}
            yield RuleFault(table.name, key, rule.what.format_map(shown), rule.hint)


def _distinct_values(rows: CheckedRows, table: Table, column: str) -> str:
    """The name of a view of the distinct values of a column, where rows are in memory; DuckDB looks at each row before
    it finds those that are distinct."""
    if rows.stored is None:
        return table.name
    name = f"{column} of {table.name}"
    rows.connection.register(name, pa.table({column: call("unique", rows.stored[table.name][column])}))
    return quote(name)


def shown_value(value: object, quotes: str = "`") -> str:
    """A value for an error."""
    if isinstance(value, str):
        return f"{quotes}{value[:MAX_SHOWN]}{quotes}"
    return "NULL" if value is None else str(value).lower() if isinstance(value, bool) else str(value)[:MAX_SHOWN]


ROOTS, CYCLES, IDS, FEATURES = range(len(FINDINGS))
"""The places of FINDINGS."""

REPEATED_IDS = """
SELECT n.sentence
FROM (SELECT s.sentence, row_number() OVER (PARTITION BY {by} ORDER BY s.sentence) AS place,
             bool_or(s.changed) OVER (PARTITION BY {by}) AS changed
      FROM sentences AS s WHERE s.sent_id IS NOT NULL) AS n
WHERE n.place > 1 AND n.changed"""
"""SQL for the sentences with an id that several have, some of them changed."""

UNLIKELY = "SELECT count(*) FROM alignments AS a WHERE a.confidence < 0 OR a.confidence > 1"
"""SQL for the number of links that are warned of."""


def find_warned(rows: CheckedRows, features: RepeatedFeatures) -> list[Ints]:
    """The sentences of each of FINDINGS, but for repeated ids, ascending."""
    warned = [NO_SENTENCES for _ in FINDINGS]
    if rows.has("words sentence head depth"):
        of_words = rows.read(schemas.table("words"), ("sentence", "head", "depth"))
        sentence, head, depth = (integers(of_words[name], -1) for name in of_words.column_names)
        roots = sentence[(head == 0) & (depth > 0)]
        warned[ROOTS] = distinct(roots[1:][roots[1:] == roots[:-1]])
        warned[CYCLES] = distinct(sentence[(head >= 0) & (depth < 0)])
    for table in WITH_FEATURES:
        if rows.has(f"{table} sentence feats"):
            with_features = rows.read(schemas.table(table), ("sentence", "feats"))
            doubled = [features.sentences_of(batch) for batch in with_features.to_batches()]
            warned[FEATURES] = distinct(np.concatenate([warned[FEATURES], *doubled]))
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
