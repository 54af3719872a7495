"""Apache Spark as an engine: a folder of Parquet, whose tables are temporary views of a session, read by its tasks; and
SQL of DuckDB in Spark's, translated by sqlglot and the rules of `spark_rules`.
"""

from __future__ import annotations

import logging
import re
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import unquote

import pyarrow as pa

from treesql import catalog
from treesql.catalog import Query, Statement, schemas
from treesql.catalog.schemas import Table, quote
from treesql.catalog.sql_text import split_tokens
from treesql.engines import manifests, parquet_parts
from treesql.engines.corpus_groups import FEATURES
from treesql.engines.duckdb import DuckDB, select_within
from treesql.engines.duckdb_folders import (
    CORPORA,
    NO_PATHS,
    DuckDBFolder,
    PartsByTable,
    open_folder,
    parts_by_table,
    tables_named,
)
from treesql.engines.parquet_parts import StoredPart
from treesql.engines.spark import functions as spark_functions
from treesql.engines.spark.session import check_session, close_remote, own_session
from treesql.engines.spark.shared import computed_once
from treesql.engines.spark.types import arrow_type, passed_type, spark_type, table_schema, with_type
from treesql.errors import Interrupted, StatementError, UnknownColumn

_UNKNOWN_COLUMN = re.compile(r"UNRESOLVED_COLUMN[^\n]*?name `(?:[^`]*`\.`)*([^`]+)`")
"""Matches the message of a statement with an unknown column."""

_CAUSE = re.compile(r"^(?:ValueError|MemoryError|duckdb\.\w+|pyarrow\.\S+): |Caused by: ")
"""Matches the line of a message with the first cause of an error of a task."""

_FILE = re.compile(r"Encountered error while reading file (?:file://)?(\S+\.parquet)\.")
"""Matches what messages say of the part that a task could not read."""

_DAMAGE = re.compile(r"org\.apache\.parquet|Zstd|[Tt]hrift|is not a Parquet file")
"""Matches causes that bytes of the part are wrong; others are those of file systems and networks."""

_OTHER_PYTHON = (
    re.compile(r"Python in worker has different version[^\n]*?(?=, PySpark|\. |$)", re.MULTILINE),
    re.compile(r"(?:ModuleNotFoundError|ImportError): [^\n]*"),
    re.compile(r"Cannot run program[^\n]*|Python worker failed to connect back[^\n]*"),
)
"""Match what messages say where the Python of the executors is not that of the driver."""

_SAME_PYTHON = (
    f"executors need Python {sys.version_info[0]}.{sys.version_info[1]} with treesql[spark]: "
    "set spark.pyspark.python, or PYSPARK_PYTHON, to one"
)

_ARE_ERRORS_NAMED: ContextVar[bool] = ContextVar("_ARE_ERRORS_NAMED", default=False)
"""Whether this thread raises the errors of Spark as those of engines, so that PySpark need not log them."""


def _is_for_log(record: logging.LogRecord) -> bool:
    """Whether an error that PySpark logs is of a statement of the user's own session."""
    return not _ARE_ERRORS_NAMED.get()


def _leave_named_errors_unlogged() -> None:
    """Filter what PySpark logs of every error, with its statement; a logger has a filter once."""
    from pyspark.logger import PySparkLogger

    PySparkLogger.getLogger("SQLQueryContextLogger").addFilter(_is_for_log)


class SparkFolder:
    """A folder of Parquet as an `Engine` on Spark.

    session: made for it from that of the user, which it shares executors with. local: the driver's DuckDB on the same
    folder, for statements that read nothing but small tables, and for scores of sums.
    """

    name = "spark"
    only_sums = True
    is_small = False

    def __init__(self, folder: str, session: Any, driver: DuckDBFolder, *, made: Sequence[Path] = ()) -> None:
        self._made = made
        self.folder, self.session, self.local = folder, session, driver
        self.version = str(session.version)
        self.precomputed: frozenset[str] = frozenset()
        self.paired: dict[tuple[str, str], tuple[str, bool]] = {}
        self.records: list[dict[str, Any]] = []
        self.rows_read: Mapping[str, Sequence[tuple[str | None, pa.Table]]] = {}
        self._table_functions: set[str] = set()
        self._tag = f"treesql-{uuid.uuid4().hex}"

    def refresh(self) -> None:
        """Read the manifests again, and show the corpora that the folder has now. Raises DatabaseError."""
        self.local.refresh()
        self._show()

    def _show(self) -> None:
        show_parts(self.session, parts_by_table(self.folder, self.local.groups))
        for table in schemas.all_tables():
            if is_small(table):
                self._show_small(table)
        for view in schemas.all_views().values():
            body = VIEWS.get(view.name) or to_spark(view.body)
            self.session.sql(body).createOrReplaceTempView(view.name)

    def _show_small(self, table: str) -> None:
        """Show a table of the driver to the executors."""
        declared = schemas.table(table)
        columns = ", ".join(f"t.{quote(name)}" for name in declared.names)
        rows = self.local.table(f"SELECT {columns} FROM {quote(table)} AS t")
        show_rows(self.session, declared, rows)

    def table(
        self, statement: str, values: Mapping[str, object] | None = None, *, aggregated: bool = False
    ) -> pa.Table:
        """Return the rows of a SELECT; as for `Engine`."""
        if self._is_for_driver(statement):
            return self.local.table(statement, values, aggregated=aggregated)
        used = Statement((), statement).bind(values or {})
        self._check_parts(statement)
        with (
            self._named_errors(statement, used),
            computed_once(self.session, to_spark(statement), used) as rows,
        ):
            return rows.toArrow()

    def run(self, sql: str, values: Mapping[str, object]) -> pa.Table:
        """Return the rows of a statement of Spark's SQL, which nothing but Spark parses. Raises StatementError."""
        self._check_parts(sql)
        with self._named_errors(sql, values):
            return self.session.sql(sql, args=dict(values)).toArrow()

    def _check_parts(self, statement: str) -> None:
        """Have executors compare the parts of the tables that a statement names, if that was not done before.

        Raises DatabaseError where a part is damaged.
        """
        with self.local.explaining_changes():
            left = self.local.parts_left(tables_named(statement))
            if not left:
                return
            comparisons = self.map_numbers(_comparison(left), len(left), min(len(left), self.n_cores))
            for part, wrong in zip(left, comparisons, strict=True):
                if wrong:
                    raise parquet_parts.damaged(part, wrong.decode())
            parquet_parts.remember(left)

    @contextmanager
    def _named_errors(self, statement: str, values: object) -> Iterator[None]:
        """Raise errors of Spark as those that engines raise; what the block runs can be interrupted."""
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        self.session.addTag(self._tag)
        named = _ARE_ERRORS_NAMED.set(True)
        try:
            yield
        except (PySparkException, Py4JError) as error:
            raise as_engine_error(error, statement, values) from error
        finally:
            _ARE_ERRORS_NAMED.reset(named)
            with suppress(Exception):  # the session was stopped
                self.session.removeTag(self._tag)

    def make_table_functions(self, queries: Iterable[str]) -> None:
        """Make those of the queries known to Spark's SQL, as functions that it calls in FROM. Raises StatementError."""
        for name in set(queries) - self._table_functions:
            statement = table_function(catalog.query(name))
            with self._named_errors(statement, None):
                self.session.sql(statement)
            self._table_functions.add(name)

    @contextmanager
    def passing(self, tables: Mapping[str, pa.Table]) -> Iterator[None]:
        """Make tables of Python known to the statements of a block."""
        for name, rows in tables.items():
            self.session.createDataFrame(rows).createOrReplaceTempView(name)
        try:
            yield
        finally:
            for name in tables:
                self.session.catalog.dropTempView(name)

    @property
    def n_cores(self) -> int:
        """Number of tasks that run at a time, about; 2 where Spark does not say it."""
        with suppress(Exception):  # Spark Connect has no context
            return int(self.session.sparkContext.defaultParallelism)
        return 2

    def map_numbers(self, call: Callable[[pa.Array], pa.Array], n: int, tasks: int) -> list[bytes]:
        """Return what a function returns for 0 to n - 1, in order: bytes for each. tasks: number of tasks."""
        from pyspark.sql.functions import col

        mapped = spark_functions.as_arrow_function(call, "binary").asNondeterministic()
        with self._named_errors("load", None):
            numbers = self.session.range(0, n, 1, tasks)
            results = numbers.select(col("id"), mapped(col("id")).alias("found")).toArrow()
        return list(results.sort_by("id")["found"].to_pylist())

    def rows(self, statement: str, values: Mapping[str, object] | None = None) -> list[tuple[Any, ...]]:
        """Return the rows of a small SELECT as tuples; as for `Engine`."""
        if self._is_for_driver(statement):
            return self.local.rows(statement, values)
        result = self.table(statement, values)
        return list(zip(*(column.to_pylist() for column in result.columns), strict=True)) if result.num_columns else []

    def _is_for_driver(self, statement: str) -> bool:
        """Whether a statement reads no tables but small ones."""
        return all(map(is_small, catalog.tables_of(catalog.words(statement))))

    def with_tables(self, tables: Mapping[str, pa.Table]) -> AbstractContextManager[DuckDB]:
        """Yield the driver's engine with further tables in a block; as for `Engine`."""
        return self.local.with_tables(tables)

    def select_range(self, table: str, sentences: range, columns: Sequence[str]) -> str:
        """Return a SELECT of rows of a range of sentences; as for `Engine`."""
        return select_within(quote(table), sentences, columns)

    def replace_rows(
        self, table: str, rows: pa.Table, *, where: str | None = None, is_value: str | None = None
    ) -> None:
        """Replace rows of a small table; as for `Engine`."""
        self.local.replace_rows(table, rows, where=where, is_value=is_value)
        self._show_small(table)

    def fill_table(
        self, table: str, keys: Mapping[str, str], statement: str | None, values: Mapping[str, object], *,
        stored: bool = False,
    ) -> None:  # fmt: skip
        """Replace rows of a table by those of a SELECT, which executors keep; as for `Engine`. None is ever stored."""
        condition = " AND ".join(f"t.{name} = :{name}" for name in keys)
        sql = f"SELECT * FROM {table} AS t WHERE NOT ({condition})"
        with self._named_errors(sql, values):
            left = self.session.sql(sql, args=dict(keys))
            if statement is not None:
                with computed_once(self.session, to_spark(statement), Statement((), statement).bind(values)) as rows:
                    new = rows.persist()
                    new.count()
                left = left.unionByName(new)
            left.createOrReplaceTempView(table)

    @contextmanager
    def restoring(self) -> Iterator[None]:
        """Undo at the end of the block what `replace_rows` does in it; as for `Engine`."""
        try:
            with self.local.restoring():
                yield
        finally:
            for table in schemas.all_tables():
                if is_small(table):
                    self._show_small(table)

    def check_condition(self, condition: str) -> None:
        """Raise UsageError for a condition that is no function of a row; as for `Engine`."""
        self.local.check_condition(condition)

    def query_progress(self) -> float:
        """Return a number below 0: Spark shows the progress of its tasks in a page of its own."""
        return -1.0

    def interrupt(self) -> None:
        """Stop the statement that runs; as for `Engine`."""
        self.session.interruptTag(self._tag)

    def roll_back(self) -> None:
        """Do nothing: there are no transactions."""

    def close(self) -> None:
        """Release the views; the user's session goes on. A folder made for it is removed if it has no corpora."""
        self.local.close()
        close_remote(self.session)
        manifests.remove_empty_folders(self._made)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _comparison(parts: Sequence[StoredPart]) -> Callable[[pa.Array], pa.Array]:
    """Return what an executor does with the numbers of parts: it says what is wrong with them."""

    def compare(numbers: pa.Array) -> pa.Array:
        from treesql.engines import parquet_parts

        return pa.array([parquet_parts.compare(parts[number]).encode() for number in numbers.to_pylist()], pa.binary())

    return compare


def open_spark(folder: str, session: Any, *, memory: int | None = None, existing: bool = True) -> SparkFolder:
    """Return an engine of a folder on the executors of a session.

    session: a SparkSession, or the address of a master, which starts one that ends with the process. memory: maximum
    number of bytes of the driver's DuckDB. existing: whether the folder has to exist; else one whose name ends in `/`
    is made. Raises DatabaseError, UsageError.
    """
    check_session(session)
    made = () if existing else manifests.make_folder(folder)
    driver = open_folder(folder, memory=memory)
    separate: Any = None
    try:
        separate = own_session(session)
        _leave_named_errors_unlogged()
        spark_functions.register_functions(separate)
        engine = SparkFolder(folder, separate, driver, made=made)
        engine._show()
    except BaseException:
        driver.close()
        if separate is not None:
            close_remote(separate)
        manifests.remove_empty_folders(made)
        raise
    return engine


def as_engine_error(error: Exception, statement: str, values: object) -> Exception:
    """Return an error of Spark as one of those that engines raise."""
    message = str(error)
    if "OPERATION_CANCELED" in message or "cancelled" in message.lower():
        return Interrupted(message)
    causes = [line for line in message.splitlines() if _CAUSE.search(line)]
    lines = [*causes[-1:], *(line for line in message.splitlines() if line.strip())]
    text = lines[0].strip() if lines else type(error).__name__
    if (matched := _FILE.search(message)) and _DAMAGE.search(text):
        text = f'Failed to read file "{unquote(matched[1])}": {text.removeprefix("Caused by: ")}'  # as DuckDB says it
    if matched := next(filter(None, (pattern.search(message) for pattern in _OTHER_PYTHON)), None):
        text = f"{matched[0].strip()}; {_SAME_PYTHON}"
    if matched := _UNKNOWN_COLUMN.search(message):
        return UnknownColumn(text, text, statement, values, matched[1])
    return StatementError(text, text, statement, values)


def is_small(table: str) -> bool:
    """Whether a table is read on the driver: `corpora`, and tables that belong to no corpus."""
    large = table in (FEATURES, schemas.ALIGNMENTS) or "corpus" in schemas.table(table).names
    return table == CORPORA or not large


def show_parts(session: Any, parts: PartsByTable) -> None:
    """Create or replace the views of the tables that have parts."""
    for table in schemas.all_tables().values():
        if not is_small(table.name):
            own_paths, shared = parts.get(table.name, NO_PATHS)
            _show(session, table, [*own_paths, *shared])


def _show(session: Any, table: Table, paths: Sequence[str]) -> None:
    if not paths:
        show_rows(session, table, table.arrow_schema().empty_table())
        return
    rows = session.read.schema(table_schema(table)).parquet(*map(_as_address, paths))
    if table.name == FEATURES:  # corpora share strings
        rows = rows.dropDuplicates([table.columns[0].name])
    rows.createOrReplaceTempView(table.name)


def show_rows(session: Any, table: Table, rows: pa.Table) -> None:
    """Create or replace the view of a table that is small enough for every executor to have."""
    columns = {}
    for column in table.columns:
        kind = passed_type(arrow_type(column.type))
        column_values = rows[column.name] if column.name in rows.column_names else pa.chunked_array([], kind)
        chunks = column_values.chunks or [pa.array([], column_values.type)]  # PySpark makes no array of no chunks
        columns[column.name] = pa.chunked_array([with_type(chunk, kind) for chunk in chunks], kind)
    session.createDataFrame(pa.table(columns), table_schema(table)).createOrReplaceTempView(table.name)


def _as_address(path: str) -> str:
    """Return a path as Hadoop reads it; the paths of this machine have no scheme."""
    return path if "://" in path else f"file://{path}"


VIEWS = {
    "comments": """
SELECT s.corpus, s.sentence, CAST(c.place + 1 AS BIGINT) AS position, c.comment,
       trim(regexp_extract(c.comment, '^#([^=]*)', 1)) AS key,
       CASE WHEN contains(c.comment, '=') THEN trim(regexp_extract(c.comment, '=(.*)$', 1)) END AS value
FROM sentences AS s LATERAL VIEW posexplode(s.comments) c AS place, comment
""",
    "features": """
SELECT l.feats, v.pair.name_list AS name, v.pair.value_list AS value
FROM feature_lists AS l LATERAL VIEW explode(arrays_zip(l.name_list, l.value_list)) v AS pair
""",
    "link_lists": """
SELECT l.corpus, l.sentence, transform(l.links, x -> x.source) AS source_list,
       transform(l.links, x -> x.target) AS target_list
FROM (SELECT a.corpus, a.sentence,
             array_sort(collect_list(named_struct('source', a.source, 'target', a.target))) AS links
      FROM alignments AS a WHERE a.source > 0 AND a.target > 0
      GROUP BY a.corpus, a.sentence) AS l
""",
    "tree_lists": """
SELECT l.corpus, l.sentence, transform(l.words, x -> x.form) AS form_list, transform(l.words, x -> x.head) AS head_list,
       transform(l.words, x -> x.relation) AS relation_list
FROM (SELECT w.corpus, w.sentence,
             array_sort(collect_list(named_struct('word', w.word, 'form', w.form, 'head', w.head,
                                                  'relation', coalesce(w.deprel, '_')))) AS words
      FROM words AS w WHERE w.head IS NOT NULL
      GROUP BY w.corpus, w.sentence) AS l
""",
}
"""Views with lists, in Spark's SQL: their rows are those of the views of the same names in schemas/."""


@lru_cache(maxsize=512)
def to_spark(statement: str, function: str | None = None) -> str:
    """Return Spark's SQL for a SELECT in DuckDB's, with parameters `:name` for `$name`.

    function: the one that it is the body of, whose parameters are written with its name. Raises
    StatementError where it cannot be parsed.
    """
    from sqlglot.errors import SqlglotError

    from treesql.engines.spark import rules as spark_rules

    try:
        tree = spark_rules.parse(_with_names(statement, spark_rules.PARAMETER))
        return spark_rules.rewritten(tree, function).sql(dialect="spark", comments=False)
    except SqlglotError as error:
        what = str(error).splitlines()[0]
        raise StatementError(f"this SQL has no translation for Spark: {what}", str(error), statement) from None


def _with_names(statement: str, prefix: str) -> str:
    """Return a statement with a column's name for every `$name`: sqlglot reads `$a + $` as the quotes of a text.

    The length of a list has another name than that of a text.
    """
    written = []
    for token in split_tokens(statement):
        if token.startswith("$"):
            token = prefix + token[1:]
        elif token.lower() == "len":
            token = "list_length"
        written.append(token)
    return "".join(written)


def table_function(query: Query) -> str:
    """Return the statement that makes a function of a query, which Spark's SQL calls in FROM.

    Its parameters are named with the function, as no column is. Raises StatementError.
    """
    declared = ", ".join(
        f"{parameter.name} {spark_type(parameter.type)}"
        + ("" if parameter.default is None else f" DEFAULT {parameter.literal}")
        for parameter in query.parameters
    )
    columns = ", ".join(f"`{column.name}` {spark_type(column.type)}" for column in query.columns)
    body = to_spark(query.statement.sql, query.name)
    return f"CREATE OR REPLACE TEMPORARY FUNCTION {query.name}({declared})\nRETURNS TABLE ({columns})\nRETURN {body}"
