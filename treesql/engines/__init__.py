"""What runs SQL statements over treesql's tables: the protocol that scoring, evaluation and search speak to.

`duckdb` is imported here, in storage/, which fills the tables, and in significance/, which evaluates scores of sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from treesql.results import tables
from treesql.results.result import Result as Result

if TYPE_CHECKING:
    from typing import Self

    import pyarrow as pa


@contextmanager
def _open_casts(schema: pa.Schema) -> Iterator[tables.Cast]:
    """Yield what evaluates expressions on tables of a schema, as for `tables.cast_by`.

    The time zone is that of the first column with one.
    """
    import duckdb  # here, for few results have such values

    connection = duckdb.connect(config={"threads": 1})

    def cast(table: pa.Table, expressions: Sequence[str]) -> pa.Table:
        return connection.from_arrow(table).project(", ".join(expressions)).to_arrow_table()

    try:
        zone = next(filter(None, map(_zone, schema.types)), "").replace("'", "''")
        with suppress(duckdb.Error):  # a zone that DuckDB does not know
            if zone:
                connection.execute(f"SET TimeZone = '{zone}'")
        yield cast
    finally:
        connection.close()


def _zone(kind: pa.DataType) -> str | None:
    """The time zone of a type, or of the first one in it that has one."""
    import pyarrow as pa  # here, as above

    if pa.types.is_timestamp(kind):
        return str(kind.tz) if kind.tz else None
    parts = (kind.field(at).type for at in range(kind.num_fields)) if pa.types.is_nested(kind) else ()
    return next(filter(None, map(_zone, parts)), None)


tables.cast_by(_open_casts)


class Engine(Protocol):
    """A connection to tables of corpora with the views, macros and functions of the catalogue.

    name, version: of the engine, for signatures. Statements may be given more values than they have parameters. Where
    an engine cannot run one, it raises StatementError; UnknownColumn and NumberTooLarge, which are of this class, say
    why; MemoryError where memory is not enough; Interrupted after `interrupt`. precomputed: relations of the catalogue
    with the parameter `corpus_name` whose rows it has, each in a table of the name with a column `corpus_name`.
    only_sums: whether it computes whole sums of counts alone, and scores are evaluated over these by what `with_tables`
    yields.
    paired: by gold and system corpus whose words have been compared, the states of both then, and whether
    their words were the same. records: of an engine that is small the rows of `corpora`, which stay as they are.
    rows_read: of an engine that is small the rows of tables as they were read, each with its corpus, None where the
    rows name it; of others none.
    """

    name: str
    version: str
    precomputed: frozenset[str]
    only_sums: bool
    paired: dict[tuple[str, str], tuple[str, bool]]
    records: list[dict[str, Any]]
    rows_read: Mapping[str, Sequence[tuple[str | None, pa.Table]]]

    @property
    def is_small(self) -> bool:
        """Whether the engine has few rows, of one task, that only it changes."""

    def table(
        self, statement: str, values: Mapping[str, object] | None = None, *, aggregated: bool = False
    ) -> pa.Table:
        """Return the rows of a SELECT. values: of its parameters, `$name`.

        aggregated: the rows are few, so that planning the statement takes longer than copying them.
        """

    def rows(self, statement: str, values: Mapping[str, object] | None = None) -> list[tuple[Any, ...]]:
        """Return the rows of a small SELECT as tuples. values: as for `table`."""

    def select_range(self, table: str, sentences: range, columns: Sequence[str]) -> str:
        """Return a SELECT of columns of a table, of the rows of a range of sentences, of all corpora."""

    def replace_rows(
        self, table: str, rows: pa.Table, *, where: str | None = None, is_value: str | None = None
    ) -> None:
        """Replace the rows of a small table, or those whose column `where` has a value, for this engine alone.

        A database file stays as it is.
        """

    def fill_table(
        self, table: str, keys: Mapping[str, str], statement: str | None, values: Mapping[str, object], *,
        stored: bool = False,
    ) -> None:  # fmt: skip
        """Replace rows of a table by those of a SELECT, or by none, for this engine alone.

        keys: the values of columns of these rows. stored: replace them in the database, where it can be written.
        """

    def with_tables(self, tables: Mapping[str, pa.Table]) -> AbstractContextManager[Engine]:
        """Yield in a block the engine that evaluates scores over sums, with these tables besides its own."""

    def restoring(self) -> AbstractContextManager[None]:
        """Undo at the end of the block what `replace_rows` does in it."""

    def check_condition(self, condition: str) -> None:
        """Raise UsageError unless a condition on items is one SQL expression, and a function of its row."""

    def query_progress(self) -> float:
        """Return the percentage of the running statement that is done; below 0 if it is not known."""

    def interrupt(self) -> None:
        """Stop the statement that runs, if there is one."""

    def roll_back(self) -> None:
        """End a transaction that is open without its changes; may raise where none is."""

    def close(self) -> None:
        """Release the tables."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
