"""schemas/ and macros/ -> Arrow schemas and DDL: what a database has. It is described nowhere else.

Macros are SQL functions without a kernel. They are stored in the database, for any client. A parameter of type WORD
takes an alias of `words`. DuckDB replaces a parameter by an alias everywhere but inside a subquery, so such a macro
becomes two: one that takes columns, and one that passes them to the first. An alias inside a subquery must be one that
no user has: it would capture the columns that are passed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treesql.catalog import header
from treesql.catalog.header import Header
from treesql.catalog.sql_text import split_tokens
from treesql.errors import HeaderError, UnknownName

if TYPE_CHECKING:
    import pyarrow as pa


SCHEMA_VERSION = 11
"""Version of the tables: incremented whenever one changes; databases of others are refused."""


ALIGNMENTS = "word_alignments"
"""The table that says which words of two corpora are counterparts where they are not the same words."""

BY_CHARACTERS = "by_characters"
"""The count of metrics that is above 0 where words are paired by this table."""


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


@dataclass(frozen=True)
class Table:
    """A table of the database: `key` names the columns that no two rows share, `rows` are its first rows."""

    name: str
    doc: str
    key: tuple[str, ...]
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[str, ...], ...] = ()

    def __getitem__(self, name: str) -> TableColumn:
        return next(column for column in self.columns if column.name == name)

    @property
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


def corpus_tables() -> Iterator[Table]:
    """The tables whose rows belong to a corpus, `corpora` among them."""
    return (table for table in all_tables().values() if "corpus" in table.names)


def _read(path: Path) -> Table:
    name, content = path.stem, tomllib.loads(path.read_text("utf-8"))
    columns = tuple(_read_column(name, column, entry) for column, entry in content["columns"].items())
    return Table(name, content["doc"], tuple(content["key"]), columns, _rows(path.with_suffix(".csv"), columns))


def _rows(path: Path, columns: tuple[TableColumn, ...]) -> tuple[tuple[str, ...], ...]:
    """The rows of schemas/NAME.csv, if that exists; its first line names columns, empty cells are NULL."""
    if not path.exists():
        return ()
    import csv  # here, for few tables have rows at first

    first, *rows = csv.reader(path.read_text("utf-8").splitlines())
    if first != [column.name for column in columns]:
        raise HeaderError(f"{path.name}: its first line must name the columns of {path.stem}.toml")
    return tuple(map(tuple, rows))


def _read_column(table: str, name: str, entry: dict[str, Any]) -> TableColumn:
    try:
        return TableColumn(name, **entry)
    except TypeError as error:
        raise HeaderError(f"{table}.toml: column {name}: {error}") from None


def _column_ddl(identifier: str, column: TableColumn) -> str:
    parts = [identifier, column.type]
    if column.required:
        parts.append("NOT NULL")
    if column.check:
        parts.append(f"CHECK ({column.check})")
    return " ".join(parts)


def _arrow_type(name: str) -> pa.DataType:
    import pyarrow as pa

    if name.endswith("[]"):
        return pa.list_(_arrow_type(name.removesuffix("[]")))
    if name.startswith("STRUCT("):
        fields = (field.split() for field in name.removeprefix("STRUCT(").removesuffix(")").split(", "))
        return pa.struct([(field, _arrow_type(kind)) for field, kind in fields])
    return {
        "VARCHAR": pa.string_view(),
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
