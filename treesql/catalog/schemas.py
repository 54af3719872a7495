"""schemas/ and macros/ -> Arrow schemas and DDL: what a database has. It is described nowhere else.

Macros are SQL functions without a kernel. They are stored in the database, for any client. A parameter of type WORD
takes an alias of `words`. DuckDB replaces a parameter by an alias everywhere but inside a subquery, so such a macro
becomes two: one that takes columns, and one that passes them to the first. An alias inside a subquery must be one that
no user has: it would capture the columns that are passed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from treesql.catalog import header
from treesql.catalog.header import Header
from treesql.catalog.sql_text import split_tokens, words
from treesql.errors import HeaderError, UnknownName

if TYPE_CHECKING:
    import pyarrow as pa


SCHEMA_VERSION = 11
"""Version of the tables: incremented whenever one changes; databases of others are refused."""


ALIGNMENTS = "word_alignments"
"""The table that says which words of two corpora are counterparts where they are not the same words."""

BY_CHARACTERS = "by_characters"
"""The count of metrics that is above 0 where words are paired by this table."""


Entry = TypeVar("Entry")


@dataclass(frozen=True)
class TableColumn:
    """A column of a table. `computed` is the SQL that fills it from the others when rows are loaded."""

    name: str
    type: str
    doc: str
    required: bool = False
    check: str | None = None
    computed: str | None = None

    @property
    def arrow_type(self) -> pa.DataType:
        """Its type in Arrow; strings are string views."""
        return _arrow_type(self.type)

    @property
    def plain_type(self) -> pa.DataType:
        """Its type in Arrow with strings that are no views, for which Arrow lacks functions."""
        return _arrow_type(self.type, views=False)


NULL, VALUE, EMPTY, OPEN, CONTROL, UNMARKED = VALUES = ("null", "value", "empty", "open", "control", "unmarked")
"""What rules look for, and buffers of a column show without SQL: NULL, also as an item of a list; any value at all; an
empty text; `_`; a text with a control character; a text of a list that does not begin with #."""

_HOLDS = re.compile(r"(?P<column>\w+) (?P<operator><=?) (?P<in_table>\w+)\.(?P<other>\w+)")


@dataclass(frozen=True)
class Rule:
    """What holds for the rows of a table, as an SQL query for those that break it.

    `rows` is a SELECT of the key of such a row and of the values that `what`, a format, names; or `where` a condition
    on the row, `t`. Both name tables as if they held one corpus: the rows of the sentences that are checked, with
    `whole` those of all sentences. `holds`: what holds for all rows if none breaks the rule, as
    `head <= sentences.n_words`: COLUMN <= or < TABLE.COLUMN of its sentence's row; where there are no `rows`, it is the
    rule. `distinct`: whether the condition is costly and about one column, so that its distinct values are looked at
    first. `columns`: one rule for each of these, in place of `{column}`. `kinds`: of corpora, all if there are none.
    `needs`: what some value of its columns is, as in VALUES, if a row breaks it. `doc`: what is wrong, where `what`
    does not say it without values.
    """

    name: str
    what: str
    hint: str
    where: str | None = None
    rows: str | None = None
    holds: str = ""
    columns: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    whole: bool = False
    distinct: bool = False
    needs: str = ""
    doc: str = ""

    @property
    def sql(self) -> str:
        """The query, or the condition."""
        return self.rows or self.where or ""

    @property
    def bound(self) -> re.Match[str] | None:
        """The `column`, the `operator`, and `in_table` and its `other` column, of what it says `holds`."""
        return _HOLDS.fullmatch(self.holds)

    @cached_property
    def each(self) -> Sequence[Rule]:
        """The rule, once for each of its columns if it has some."""
        texts = {name: text for name in ("what", "where", "rows") if (text := getattr(self, name))}
        return [
            replace(self, columns=(), **{name: text.replace("{column}", column) for name, text in texts.items()})
            for column in self.columns
        ] or [self]


@dataclass(frozen=True)
class Derived:
    """Columns of a table that follow from other rows; all of its rows where there are no columns.

    `rows` is a SELECT of the key and the columns, from tables as those of a `Rule`; or the function of the name
    `function` computes them from the columns of tables that it `reads`. `source`: the other rows in words. `counted`:
    whether rules need them; `given`: whether a user who changes them is refused, as the source is what is written to
    files. `kinds`, `whole`: as for a `Rule`.
    """

    source: str
    rows: str = ""
    columns: tuple[str, ...] = ()
    function: str | None = None
    reads: Mapping[str, Sequence[str]] = field(default_factory=dict, hash=False)
    counted: bool = False
    given: bool = False
    kinds: tuple[str, ...] = ()
    whole: bool = False

    @property
    def sql(self) -> str:
        """The query, or the tables and columns that the function reads."""
        return self.rows or " ".join(f"{table} {' '.join(columns)}" for table, columns in self.reads.items())


@dataclass(frozen=True)
class Table:
    """A table of the database: `key` names the columns that no two rows share, `rows` are its first rows.

    `numbered_from`: the first value of the key's last column, where that numbers rows without gaps.
    """

    name: str
    doc: str
    key: tuple[str, ...]
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[str, ...], ...] = ()
    numbered_from: int | None = None
    rules: tuple[Rule, ...] = ()
    derived: tuple[Derived, ...] = ()

    def __getitem__(self, name: str) -> TableColumn:
        return next(column for column in self.columns if column.name == name)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def identifiers(self) -> Mapping[str, str]:
        """The names of the columns as SQL identifiers, by name."""
        return {name: quote(name) for name in self.names}

    @cached_property
    def ddl(self) -> str:
        """The CREATE TABLE statement, with NOT NULL and CHECK, and an INSERT of the first rows.

        The cells of a column are one text each: a list of VALUES takes DuckDB several times as long.
        """
        parts = [_column_ddl(self.identifiers[column.name], column) for column in self.columns]
        sql = f"CREATE TABLE {quote(self.name)} (\n    " + ",\n    ".join(parts) + "\n)"
        if self.rows:
            texts = (literal(_BETWEEN_CELLS.join(cells)) for cells in zip(*self.rows, strict=True))
            cells = ", ".join(f"unnest(string_split({text}, {literal(_BETWEEN_CELLS)}))" for text in texts)
            sql += f";\nINSERT INTO {quote(self.name)} SELECT nullif(COLUMNS(*), '') FROM (SELECT {cells})"
        return sql

    @cache  # noqa: B019 (tables are few and live as long as the process)
    def arrow_schema(self, columns: frozenset[str] | None = None) -> pa.Schema:
        """The Arrow schema of the batches that readers yield: the columns that are not computed.

        columns: those to read (None: all); those of the key are always included. Strings are Arrow string views.
        """
        import pyarrow as pa

        return pa.schema(
            pa.field(column.name, _arrow_type(column.type), nullable=not column.required)
            for column in self.columns
            if not column.computed and (columns is None or column.name in self.key or column.name in columns)
        )


_BETWEEN_CELLS = "\n"
"""What no cell of the first rows has in it, as their files are read line by line."""


def quote(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


@cache
def all_tables() -> dict[str, Table]:
    """Every table of schemas/, by name."""
    return {path.stem: _read(path) for path in sorted(header.folder("schemas").glob("*.toml"))}


@cache
def all_views() -> dict[str, header.Header]:
    """Every view of schemas/, by name."""
    return {view.name: view for view in header.parse_files(sorted(header.folder("schemas").glob("*.sql")))}


def table(name: str) -> Table:
    """One table. Raises UnknownName."""
    try:
        return all_tables()[name]
    except KeyError:
        raise UnknownName("table", name, all_tables()) from None


@cache
def tables_with_rows() -> frozenset[str]:
    """The names of the tables that have rows when they are made."""
    return frozenset(name for name, made in all_tables().items() if made.rows)


def corpus_tables() -> Iterator[Table]:
    """The tables whose rows belong to a corpus, `corpora` among them."""
    return (table for table in all_tables().values() if "corpus" in table.names)


@lru_cache(1024)
def tables_read(sql: str) -> frozenset[str]:
    """The tables that SQL names."""
    return words(sql) & all_tables().keys()


@lru_cache(1024)
def columns_read(sql: str) -> Mapping[str, frozenset[str]]:
    """The tables that SQL names, and the columns of each that it names, of whichever of them."""
    named = words(sql)
    return {name: named & frozenset(table(name).names) for name in named & all_tables().keys()}


def is_of_kind(entry: Rule | Derived, kind: str) -> bool:
    """Whether a rule, or a derivation, is about corpora of a kind."""
    return not entry.kinds or kind in entry.kinds


def _read(path: Path) -> Table:
    name, content = path.stem, tomllib.loads(path.read_text("utf-8"))
    columns = tuple(_read_entry(TableColumn, name, {"name": key, **one}) for key, one in content["columns"].items())
    key = tuple(content["key"])
    rules = tuple(_with_rows(_read_entry(Rule, name, entry), name, key) for entry in content.get("rules", ()))
    if "fields" in content:
        rules += tuple(_rules_of_fields(name, columns, **content["fields"]))
    return Table(
        name,
        content["doc"],
        key,
        columns,
        _rows(path.with_suffix(".csv"), columns),
        content.get("numbered_from"),
        rules,
        tuple(_read_entry(Derived, name, entry) for entry in content.get("derived", ())),
    )


def _with_rows(rule: Rule, table: str, key: Collection[str]) -> Rule:
    """A rule with the query for the rows that break it, where it says what holds for all. Raises HeaderError."""
    if not rule.holds:
        return rule
    if not (bound := rule.bound):
        raise HeaderError(f"{table}.toml: {rule.name}: `{rule.holds}` is not COLUMN <= TABLE.COLUMN")
    names = dict.fromkeys([*key, bound["column"]])
    columns = ", ".join(f"t.{quote(name)}" for name in names if name != "corpus")
    sql = f"""
    SELECT {columns}, o.{quote(bound["other"])} FROM {table} AS t JOIN {bound["in_table"]} AS o
      ON o.sentence = t.sentence
    WHERE NOT (t.{quote(bound["column"])} {bound["operator"]} o.{quote(bound["other"])})"""
    return replace(rule, rows=rule.rows or sql)


def _rules_of_fields(
    table: str,
    every: Collection[TableColumn],
    columns: Collection[str],
    open: Collection[str],
    kinds: Collection[str] = (),
    last: str | None = None,
) -> Iterator[Rule]:
    """The rules of columns that are fields of a line between tabs. open: those in which `_` says that there is no
    value; last: that which stands before the end of the line."""
    of: dict[str, Any] = {"kinds": tuple(kinds)}
    required = {column.name for column in every if column.required}
    for is_required, hint in (
        (True, "delete the row of what is left open"),
        (False, "write NULL for what is left open"),
    ):
        alike = tuple(name for name in columns if (name in required) is is_required)
        if alike:
            yield Rule(f"{table}_empty", "{column} is empty", hint, "t.{column} = ''", columns=alike, needs=EMPTY, **of)
        alike = tuple(name for name in alike if name in open)
        if alike:
            yield Rule(f"{table}_open", "{column} is `_`", hint, "t.{column} = '_'", columns=alike, needs=OPEN, **of)
    breaks = "contains(t.{column}, chr(9)) OR contains(t.{column}, chr(10))"
    what = "{column} has a tab or a line break in it"
    yield Rule(f"{table}_breaks", what, "take it out", breaks, columns=tuple(columns), needs=CONTROL, **of)
    if last is not None:
        what = f"{last} ends in a carriage return, as a line does"
        yield Rule(f"{table}_line_ends", what, "take it out", f"ends_with(t.{last}, chr(13))", needs=CONTROL, **of)


def _rows(path: Path, columns: tuple[TableColumn, ...]) -> tuple[tuple[str, ...], ...]:
    """The rows of schemas/NAME.csv, if that exists; its first line names columns, empty cells are NULL."""
    if not path.exists():
        return ()
    import csv  # here, for few tables have rows at first

    first, *rows = csv.reader(path.read_text("utf-8").splitlines())
    if first != [column.name for column in columns]:
        raise HeaderError(f"{path.name}: its first line must name the columns of {path.stem}.toml")
    return tuple(map(tuple, rows))


def _read_entry(kind: type[Entry], table: str, entry: dict[str, Any]) -> Entry:
    """An entry of a file, whose lists are tuples. Raises HeaderError."""
    try:
        return kind(**{key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()})
    except TypeError as error:
        raise HeaderError(f"{table}.toml: {entry.get('name', kind.__name__.lower())}: {error}") from None


def _column_ddl(identifier: str, column: TableColumn) -> str:
    parts = [identifier, column.type]
    if column.required:
        parts.append("NOT NULL")
    if column.check:
        parts.append(f"CHECK ({column.check})")
    return " ".join(parts)


def _arrow_type(name: str, *, views: bool = True) -> pa.DataType:
    import pyarrow as pa

    if name.endswith("[]"):
        return pa.list_(_arrow_type(name.removesuffix("[]"), views=views))
    if name.startswith("STRUCT("):
        fields = (field.split() for field in name.removeprefix("STRUCT(").removesuffix(")").split(", "))
        return pa.struct([(field, _arrow_type(kind, views=views)) for field, kind in fields])
    return {
        "VARCHAR": pa.string_view() if views else pa.string(),
        "INTEGER": pa.int32(),
        "BIGINT": pa.int64(),
        "UBIGINT": pa.uint64(),
        "BOOLEAN": pa.bool_(),
        "DOUBLE": pa.float64(),
        "TIMESTAMP": pa.timestamp("us"),
    }[name]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


WORD = "WORD"


@dataclass(frozen=True)
class Macro(Header):
    """One file of macros/."""

    @cached_property
    def statements(self) -> tuple[str, ...]:
        """The statements that install it."""
        names = [p.name for p in self.parameters]
        words = "|".join(p.name for p in self.parameters if p.type == WORD)
        columns = list(dict.fromkeys(re.findall(rf"\b(?:{words})\.\w+", self.body))) if words else []
        if not columns or "SELECT" not in self.body:
            return (_statement(self.name, names, self.body),)
        body = re.sub(rf"\b({words})\.(\w+)", r"\1_\2", self.body)
        others = [p.name for p in self.parameters if p.type != WORD]
        passed = ", ".join([*columns, *others])
        plain = _statement(f"{self.name}_of_columns", [*(c.replace(".", "_") for c in columns), *others], body)
        return plain, _statement(self.name, names, f"{self.name}_of_columns({passed})")


@cache
def all_macros() -> dict[str, Macro]:
    """Every macro of macros/, by name."""
    return {entry.name: Macro(**vars(entry)) for entry in header.parse_files(files())}


@cache
def texts() -> dict[str, str]:
    """The statements that install every macro of macros/, by name."""
    return {name: "\n".join(macro.statements) for name, macro in all_macros().items()}


def files() -> list[Path]:
    """The files of macros/."""
    return sorted(header.folder("macros").glob("*.sql"))


def macros_called(named: Iterable[str]) -> list[Macro]:
    """The macros among names, and those that these call in turn."""
    macros: dict[str, Macro] = {}
    pending = set(named) & all_macros().keys()
    while pending:
        macros |= {name: all_macros()[name] for name in pending}
        words = set(split_tokens("\n".join(macros[name].body for name in pending)))
        pending = all_macros().keys() & words - macros.keys()
    return [macro for name, macro in all_macros().items() if name in macros]


def statements(among: Iterable[Macro], *, temporary: bool) -> list[str]:
    """The statements that install macros, in the database or temporarily.

    Those that others call come first, as DuckDB binds a macro when it is created.
    """
    by_name = {macro.name: macro for macro in among}
    calls = {name: sorted(by_name.keys() & set(split_tokens(macro.body)) - {name}) for name, macro in by_name.items()}
    macro_statements = [
        statement for name in TopologicalSorter(calls).static_order() for statement in by_name[name].statements
    ]
    return (
        [statement.replace(" MACRO ", " TEMP MACRO ", 1) for statement in macro_statements]
        if temporary
        else macro_statements
    )


def _statement(name: str, parameters: list[str], body: str) -> str:
    return f"CREATE OR REPLACE MACRO {name}({', '.join(parameters)}) AS\n{body}"
