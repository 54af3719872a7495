"""Tables as text for a screen, and as data: CSV, TSV, JSON and Parquet; and the files that they are written to.

Values of any type become texts, those that SQL makes of them, as do types whose values Python or Polars lacks. Casts
that Arrow lacks are those of an engine, which `cast_by` names; the engines do so when they are imported.
"""

from __future__ import annotations

import io
import json
import re
import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from decimal import Decimal
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar

from treesql._version import __version__
from treesql.errors import UsageError
from treesql.runtime import atomic_files

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.table import Table


Cast = Callable[["pa.Table", Sequence[str]], "pa.Table"]
"""Evaluates expressions of SQL, each with a name, on the rows of a table."""

OpenCasts = Callable[["pa.Schema"], AbstractContextManager[Cast]]

_TEXT, _JSON = "CAST({} AS VARCHAR)", "CAST(to_json({}) AS VARCHAR)"

_FINITE = "CASE WHEN isfinite({0}) THEN CAST({0} AS VARCHAR) END"

_NO_NUMBER = re.compile(r'"(?:[^"\\]|\\.)*"|-?Infinity|NaN')
"""Matches strings of JSON, and what DuckDB writes there that JSON lacks."""

_DAYS = (-719_162, 2_932_896)
"""The first and last day of Python, 0001-01-01 and 9999-12-31, counted from 1970-01-01."""

_UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
"""Units of times in a second."""

_MILLISECONDS = (-(2**63) // 1000, 2**63 // 1000)
"""The first and last second, counted from 1970, of times in milliseconds, in which Parquet has those in seconds."""

_LARGEST = 10**38 - 1
"""The largest whole number of 38 digits, as many as decimals of 128 bits have."""

_DAY = 86_400
"""Seconds."""


def with_shown_texts(table: pa.Table) -> pa.Table:
    """A table for readers: texts in place of values that are neither numbers, truth values nor texts."""
    return next(shown_blocks(table, max(len(table), 1)))


def shown_blocks(table: pa.Table, rows: int) -> Iterator[pa.Table]:
    """The same as several tables with so many rows each; at least one."""
    blocks = (table.slice(first, rows) for first in range(0, max(len(table), 1), rows))
    return _with_expressions(blocks, lambda kind: None if _is_plain(kind) or _is_decimal(kind) else _TEXT)


def with_texts(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Tables of one schema with all values as texts, those of lists, structures and others with values in them as JSON.

    In JSON, NaN and infinities are `null`, as they are nothing that it has.
    """
    import pyarrow as pa

    def expression(kind: pa.DataType) -> str | None:
        if pa.types.is_nested(kind):
            return _JSON
        return None if is_cast_by_arrow(kind) else _TEXT

    yield from map(_cast_columns, _with_expressions(tables, expression))


def with_json(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Tables of one schema with all values as JSON; NULL, NaN and infinities are `null`."""
    import pyarrow as pa

    from treesql.runtime.arrays import compute as pc

    def expression(kind: pa.DataType) -> str | None:
        if pa.types.is_floating(kind):
            return _FINITE
        return None if is_cast_by_arrow(kind) and not _is_text(kind) else _JSON

    for table in map(_cast_columns, _with_expressions(tables, expression)):
        yield pa.table([pc.fill_null(column, "null") for column in table.columns], names=table.column_names)


def replace_characters(texts: pa.ChunkedArray, shown: Mapping[str, str]) -> pa.ChunkedArray:
    """Texts of Arrow's type large_string with other texts in place of some ASCII characters, one after the other."""
    from treesql.runtime.arrays import compute as pc

    data = as_bytes(texts)
    for character, text in shown.items():
        if character.encode() in data:  # which is found much faster than texts are replaced
            texts = pc.replace_substring(texts, character, text)
    return texts


def join_texts(parts: Sequence[Any]) -> Any:
    """The texts of arrays, joined row by row; a text among the parts is that of every row."""
    import pyarrow as pa

    from treesql.runtime.arrays import compute as pc

    texts = [pa.scalar(part, pa.large_string()) if isinstance(part, str) else part for part in parts]
    return pc.binary_join_element_wise(*texts, pa.scalar("", pa.large_string()))


def as_bytes(texts: Any) -> bytes:
    """The texts of an array of Arrow's type large_string, one after the other."""
    joined = []
    for chunk in filter(len, getattr(texts, "chunks", [texts])):  # an empty one may have no buffers
        _, offsets, data = chunk.buffers()
        ends = memoryview(offsets).cast("q")
        joined.append(memoryview(data or b"")[ends[chunk.offset] : ends[chunk.offset + len(chunk)]])
    return b"".join(joined)


def check_held(table: pa.Table | pa.RecordBatch, holder: str) -> None:
    """Raise UsageError for the first column with a value that a holder lacks.

    holder: Python, Polars, pandas, Parquet, or Arrow, whose decimals lack a digit of the largest of HUGEINT.
    """
    for name, column in zip(table.schema.names, table.columns, strict=True):
        if any(_lacks(holder, chunk) for chunk in getattr(column, "chunks", [column])):
            raise UsageError(
                f"{holder} lacks a value of the column {quoted(name)}, which is {column.type}; {hint(name)}"
            )


def hint(column: str) -> str:
    """What to write for a column whose type something lacks."""
    return f"write CAST({quoted(column)} AS VARCHAR)"


def quoted(name: str) -> str:
    """The name of a column as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def cast_by(open_casts: OpenCasts) -> None:
    """Have an engine cast the values that Arrow does not. open_casts: called with the schema of tables."""
    _Casts.opened_by = staticmethod(open_casts)


class _Casts:
    opened_by: ClassVar[OpenCasts]


def _with_expressions(
    tables: Iterable[pa.Table], expression: Callable[[pa.DataType], str | None]
) -> Iterator[pa.Table]:
    """Tables of one schema with expressions of SQL in place of columns. expression: by type, None for none."""
    with ExitStack() as stack:
        cast: Cast | None = None
        for table in tables:
            sql_by_column = {at: sql for at, kind in enumerate(table.schema.types) if (sql := expression(kind))}
            if sql_by_column:
                cast = cast or stack.enter_context(_Casts.opened_by(table.schema))
                check_held(table.select(list(sql_by_column)), "Arrow")
                columns = table.select(list(sql_by_column)).rename_columns([f"c{at}" for at in sql_by_column])
                converted = cast(columns, [f"{sql.format(f'c{at}')} AS c{at}" for at, sql in sql_by_column.items()])
                for at, sql in sql_by_column.items():
                    column = converted[f"c{at}"]
                    if sql == _JSON and not _is_text(table.schema.types[at]):
                        column = _with_valid_numbers(column)
                    table = table.set_column(at, table.column_names[at], column)
            yield table


def _with_valid_numbers(json: pa.ChunkedArray) -> pa.ChunkedArray | pa.Array:
    """Texts of JSON with null in place of the NaN and infinities that DuckDB writes in lists and structures."""
    import pyarrow as pa

    from treesql.runtime.arrays import compute as pc

    if not pc.any(pc.match_substring_regex(json, "NaN|Infinity")).as_py():
        return json

    def valid(text: str | None) -> str | None:
        return text and _NO_NUMBER.sub(lambda match: match[0] if match[0].startswith('"') else "null", text)

    return pa.array(map(valid, json.to_pylist()), pa.large_string())


def _cast_columns(table: pa.Table) -> pa.Table:
    import pyarrow as pa

    from treesql.runtime.arrays import compute as pc

    columns = [pc.cast(column, pa.large_string()) for column in table.columns]
    return pa.table(columns, names=table.column_names)


def _is_plain(kind: pa.DataType) -> bool:
    """Whether values are as texts what Python makes of them."""
    import pyarrow as pa

    plain = (
        pa.types.is_boolean,
        pa.types.is_integer,
        pa.types.is_floating,
        pa.types.is_string,
        pa.types.is_large_string,
    )
    return any(is_type(kind) for is_type in plain)


def is_cast_by_arrow(kind: pa.DataType) -> bool:
    """Whether values are as texts what Arrow makes of them: those of Python, and whole decimals."""
    return _is_plain(kind) or _is_whole(kind)


def _is_text(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def is_bare(kind: pa.DataType) -> bool:
    """Whether texts of values have no characters that a format has to escape."""
    return (_is_plain(kind) and not _is_text(kind)) or _is_decimal(kind) or _is_time(kind)


def _is_time(kind: pa.DataType) -> bool:
    """Whether values are dates, times or both."""
    import pyarrow as pa

    return bool(pa.types.is_date32(kind) or pa.types.is_time(kind) or pa.types.is_timestamp(kind))


def _is_decimal(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_decimal(kind))


def _is_whole(kind: pa.DataType) -> bool:
    """Whether values are whole decimals, of which DuckDB has one less than HUGEINT."""
    return _is_decimal(kind) and kind.scale == 0


def _lacks(holder: str, values: pa.Array) -> bool:
    """Whether a holder lacks one of the values, or of those inside of them."""
    import pyarrow as pa

    from treesql.runtime.arrays import compute as pc

    kind = values.type
    if pa.types.is_union(kind):
        return holder not in ("Python", "Arrow") or any(
            _lacks(holder, values.field(at)) for at in range(kind.num_fields)
        )
    if pa.types.is_map(kind):
        return _lacks(holder, values.keys) or _lacks(holder, values.items)
    if pa.types.is_struct(kind):
        # Not `flatten`, which ends the process where a union is in a structure that is NULL in a row.
        return any(_lacks(holder, values.field(at)) for at in range(kind.num_fields))
    if pa.types.is_nested(kind):
        return _lacks(holder, values.flatten())
    bounds = _bounds(kind, holder)
    if bounds is None:
        return False
    numbers = values if _is_whole(kind) else pc.cast(values, pa.int32() if kind.bit_width == 32 else pa.int64())
    extremes = pc.min_max(numbers).as_py()
    return extremes["min"] is not None and not (bounds[0] <= extremes["min"] and extremes["max"] <= bounds[1])


def _bounds(kind: pa.DataType, holder: str) -> tuple[int, int] | None:
    """The first and the last value of a type that a holder has, in its unit; None if it has all of them."""
    import pyarrow as pa

    if _is_whole(kind) and holder in ("Arrow", "Polars", "Parquet"):
        return -_LARGEST, _LARGEST
    if holder == "Parquet" and kind == pa.timestamp("s"):
        return _MILLISECONDS
    if not _is_time(kind) or holder in ("Arrow", "Parquet"):
        return None
    if pa.types.is_date32(kind):
        return _DAYS
    day = _DAY * _UNITS[kind.unit]
    return (_DAYS[0] * day, (_DAYS[1] + 1) * day - 1) if pa.types.is_timestamp(kind) else (0, day - 1)


PICTURES = {".svg": "svg", ".png": "png", ".pdf": "pdf"}
"""Formats of pictures by the ending of the file."""


def format_by_ending(out: str | Path | None, formats: Mapping[str, str]) -> str | None:
    """The format of a file by its ending, None if there is no file or no ending.

    formats: by ending, such as `.csv`. Raises UsageError for other endings.
    """
    ending = Path(out or "").suffix
    if ending and ending.lower() not in formats:
        *known, last = formats
        endings = f"{', '.join(known)} or {last}" if known else last
        raise UsageError(f"{out}: nothing is written as {ending}; name a file that ends in {endings}")
    return formats[ending.lower()] if ending else None


@contextmanager
def open_whole(out: str | Path) -> Iterator[BinaryIO]:
    """Open a file that is written whole or not at all; a device or a pipe is opened as it is. Raises UsageError."""
    target = Path(out)
    if target.exists() and not target.is_file():
        try:
            with target.open("wb") as device:
                yield device
        except OSError as error:
            raise UsageError(f"{out}: {error.strerror}; name a file that can be written") from None
        return
    with atomic_files.write_whole(target) as temporary, temporary.open("wb") as file:
        yield file


ENDINGS = {
    ".txt": "table", ".csv": "csv", ".tsv": "tsv", ".json": "json", ".parquet": "parquet", ".md": "markdown",
    ".tex": "latex", ".html": "html", ".htm": "html",
}  # fmt: skip
"""Formats of tables by the ending of the file."""

FORMATS = tuple(dict.fromkeys(ENDINGS.values()))

DOCUMENTS = ("markdown", "latex", "html")
"""Formats of documents, whose tables are arranged for readers as those of a screen are; other files have all values."""

_TSV_ESCAPES = {"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"}

DOCUMENT_WIDTH = 120
"""Characters of a line of a table of text from which it is transposed in a document."""

MIN_TEXT_WIDTH = 16
"""Minimum number of characters of a text column whose cells are folded."""

MIN_HEAD_WIDTH = 8
"""Minimum number of characters of a head that is folded above numbers."""

_BETWEEN = 3
"""Number of blanks that a column adds to a line."""

BLOCK = 4096
"""Number of rows whose cells are in memory at a time. What is freed at once is freed while no other thread runs."""


def render_text(
    table: pa.Table,
    percent: frozenset[str] = frozenset(),
    *,
    right: frozenset[str] = frozenset(),
    whole: frozenset[str] = frozenset(),
    screen: int | None = None,
) -> str:
    """A table as lines of text, with a header.

    percent: columns of shares, which are shown as percentages. right: columns aligned to the right besides those of
    numbers. screen: characters per line of a terminal, for which long texts and heads are folded, but not those of the
    columns `whole`, and the header is bold; None for plain text of any width.
    """
    if screen is None:
        return "".join(text_blocks(table, percent, right=right))
    names, shown = table.column_names, with_shown_texts(table)
    cells = [_cells_of(shown, at, name in percent) for at, name in enumerate(names)]
    sides = _at_right(table, right)
    full, least = _full_and_least_widths(names, cells, sides, whole)
    widths = _fitted_widths(full, least, screen - _BETWEEN * len(names))
    return _folded(names, cells, sides, widths, screen)


def text_blocks(
    table: pa.Table, percent: frozenset[str] = frozenset(), *, right: frozenset[str] = frozenset()
) -> Iterator[str]:
    """Yield the blocks of `render_text` of any width: cells are made twice, as the widths of all come first."""
    names = table.column_names
    widths = list(map(_width, names))
    for cells in _blocks_of_cells(table, percent):
        widths = [max(width, *map(_width, column)) for width, column in zip(widths, cells, strict=True)]
    sides = _at_right(table, right)

    def padded(row: Iterable[str]) -> str:
        return " " + "   ".join(map(_padded, row, widths, sides))

    head = [padded(names)] if names else []
    rule = [" " + "─" * max(len(line) - 1, 1) for line in head]
    rows = (padded(row) for cells in _blocks_of_cells(table, percent) for row in zip(*cells, strict=True))
    yield from _without_blank_ends(in_blocks(chain(head, rule, rows)))


def _blocks_of_cells(table: pa.Table, percent: frozenset[str]) -> Iterator[list[list[str]]]:
    """The cells of the columns, for a block of rows after the other, of those that have some."""
    for block in shown_blocks(table, BLOCK) if len(table) else ():
        yield [_cells_of(block, at, name in percent) for at, name in enumerate(block.column_names)]


def _cells_of(table: pa.Table, at: int, percent: bool) -> list[str]:
    return [cell_text(value, percent) for value in table.column(at).to_pylist()]


def _at_right(table: pa.Table, right: frozenset[str]) -> list[bool]:
    """Whether columns are aligned to the right: those of numbers, and others."""
    schema = with_shown_texts(table.slice(0, 0)).schema
    return [name in right or is_numeric(kind) for name, kind in zip(schema.names, schema.types, strict=True)]


def _padded(cell: str, width: int, right: bool) -> str:
    blanks = " " * (width - _width(cell))
    return blanks + cell if right else cell + blanks


def _width(text: str) -> int:
    return len(text) if text.isascii() else cell_width(text)


def _without_blank_ends(blocks: Iterable[str]) -> Iterator[str]:
    """Blocks of lines without blanks at the ends of lines, and without empty lines before the first and after the last
    one."""
    between, begun = "", False
    for block in blocks:
        text = "\n".join(line.rstrip() for line in block.split("\n"))
        text = between + text if begun else text.lstrip("\n")
        without_end = text.rstrip("\n")
        between, begun = text[len(without_end) :], begun or bool(without_end)
        yield without_end
    yield "\n"


def text_width(table: pa.Table, percent: frozenset[str] = frozenset()) -> int:
    """Number of characters of a line of the table as text."""
    return sum(_BETWEEN + max(map(len, (name, *cells))) for name, cells in cells_by_column(table, percent).items())


def least_text_width(
    table: pa.Table,
    percent: frozenset[str] = frozenset(),
    *,
    right: frozenset[str] = frozenset(),
    whole: frozenset[str] = frozenset(),
) -> int:
    """The same on a screen where texts and heads are folded as much as may be. right, whole: as for `render_text`."""
    cells = cells_by_column(table, percent)
    _, least = _full_and_least_widths(list(cells), list(cells.values()), _at_right(table, right), whole)
    return sum(least) + _BETWEEN * len(least)


def cells_by_column(table: pa.Table, percent: frozenset[str] = frozenset()) -> dict[str, list[str]]:
    """The cells of the table as text, by column."""
    shown = with_shown_texts(table)
    return {name: _cells_of(shown, at, name in percent) for at, name in enumerate(table.column_names)}


def cell_text(value: object, percent: bool) -> str:
    """Return a value as text, with the sign of a percentage; `-` for none."""
    if isinstance(value, float) and percent:
        return f"{number_text(value, True)}%"
    return number_text(value, percent)


def number_text(value: object, percent: bool) -> str:
    """Return a value as text, a share as a percentage without its sign; `-` for none."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{100 * value:.2f}" if percent else f"{value:.6g}"
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


SMALLEST_P = "<0.0001"
"""Text of a p-value that four digits round to 0."""


def p_text(value: float | None) -> str:
    """Return a p-value to four digits; `-` for none."""
    if value is None:
        return "-"
    return SMALLEST_P if round(value, 4) == 0 else f"{value:.4f}"


def is_numeric(kind: pa.DataType) -> bool:
    """Whether the values of an Arrow type are numbers."""
    return str(kind).startswith(("int", "uint", "double", "float", "decimal"))


def runs_right_to_left(texts: Iterable[str]) -> bool:
    """Whether more characters run from right to left (Arabic, Hebrew, ...) than from left to right."""
    balance = 0
    for text in texts:
        if not text.isascii():
            kinds = [unicodedata.bidirectional(character) for character in text]
            balance += sum(kind in ("R", "AL") for kind in kinds) - kinds.count("L")
        else:
            balance -= sum(map(str.isalpha, text))
    return balance > 0


def cell_width(text: str) -> int:
    """The number of cells of a terminal that a text takes."""
    if text.isascii() and text.isprintable():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def in_blocks(lines: Iterable[str]) -> Iterator[str]:
    """Lines as texts of BLOCK lines each."""
    rest = iter(lines)
    while block := list(islice(rest, BLOCK)):
        yield "".join(f"{line}\n" for line in block)


def write_csv(schema: pa.Schema, tables: Iterable[pa.Table], file: BinaryIO) -> None:
    """Write tables of a schema as CSV with a header; all values but numbers, truth values and times have quotes.

    Arrow writes it, but for decimals, times and lists, which it lacks or writes in other words than DuckDB.
    """
    import pyarrow as pa
    from pyarrow import csv

    from treesql.runtime.arrays import compute as pc

    def quoted_parts(values: Any) -> list[Any]:
        values = replace_characters(values, {'"': '""'})
        return ['"', values, '"'] if not values.null_count else [pc.fill_null(join_texts(['"', values, '"']), "")]

    if not schema.names or not all(map(is_cast_by_arrow, schema.types)):
        _write_lines(schema, tables, file, ",", quoted_parts)
        return
    for number, table in enumerate(chain([schema.empty_table()], tables)):  # the same bytes in a third of the time
        lines = pa.BufferOutputStream()
        csv.write_csv(table, lines, csv.WriteOptions(include_header=number == 0, quoting_style="needed"))
        file.write(memoryview(lines.getvalue()))


def write_tsv(schema: pa.Schema, tables: Iterable[pa.Table], file: BinaryIO) -> None:
    r"""Write tables of a schema as tab-separated values with a header, without quotes.

    In texts, tabs, newlines, carriage returns and backslashes are written as `\t`, `\n`, `\r` and `\\`, which neither
    Arrow nor DuckDB does. NULL is empty.
    """

    from treesql.runtime.arrays import compute as pc

    def escaped(values: Any) -> list[Any]:
        return [pc.fill_null(replace_characters(values, _TSV_ESCAPES), "")]

    _write_lines(schema, tables, file, "\t", escaped)


def _write_lines(
    schema: pa.Schema, tables: Iterable[pa.Table], file: BinaryIO, between: str, escape: Callable[[Any], list[Any]]
) -> None:
    """Write a header and a line per row. escape: the parts of the cells of a column of texts."""
    import pyarrow as pa

    from treesql.runtime.arrays import compute as pc

    header = (pa.array([name], pa.large_string()) for name in schema.names)
    _write_joined(file, [escape(name) for name in header], between)
    bare = [is_bare(kind) for kind in schema.types]
    for table in with_texts(tables):
        columns = zip(table.columns, bare, strict=True)
        cells = [[pc.fill_null(column, "")] if is_bare else escape(column) for column, is_bare in columns]
        _write_joined(file, cells, between)


def _write_joined(file: BinaryIO, cells: Sequence[Sequence[Any]], between: str) -> None:
    parts = [part for cell in cells for part in (between, *cell)][1:]
    file.write(as_bytes(join_texts([*parts, "\n"])) if parts else b"\n")


def write_json(tables: Iterable[pa.Table], file: BinaryIO) -> None:
    """Write a list of row objects, one per line."""
    file.write(b"[")
    between = b"\n"
    for rows, _ in json_rows(tables, named=True):
        file.write(between + rows)
        between = b",\n"
    file.write(b"\n]\n" if between == b",\n" else b"]\n")


def json_rows(tables: Iterable[pa.Table], *, named: bool) -> Iterator[tuple[bytes, int]]:
    """The rows of each table that has some, as JSON with a comma and a newline between two, and how many they are.

    named: whether rows are objects, else lists of their values.
    """
    (first, last), between = "{}" if named else "[]", ",\n"
    for table in with_json(tables):
        keys = [f"{json.dumps(name, ensure_ascii=False)}:" if named else "" for name in table.column_names]
        parts = [part for key, column in zip(keys, table.columns, strict=True) for part in (f",{key}", column)]
        if table.num_rows:
            joined = as_bytes(join_texts([first + parts[0][1:], *parts[1:], last + between]))
            yield joined[: -len(between)], table.num_rows


def write_parquet(reader: pa.RecordBatchReader, file: BinaryIO, metadata: dict[str, str]) -> None:
    """Write batches as a Parquet file; its key-value metadata has the version of treesql and the given metadata."""
    import pyarrow.parquet as pq

    check_parquet(reader.schema)
    schema = reader.schema.with_metadata({"treesql": __version__, **metadata})
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for batch in reader:
            check_held(batch, "Parquet")
            writer.write_batch(batch.replace_schema_metadata(schema.metadata))


def check_parquet(schema: pa.Schema) -> None:
    """Raise UsageError for a column whose type Parquet lacks, such as INTERVAL and UNION."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for column in schema:
        try:
            pq.ParquetWriter(io.BytesIO(), pa.schema([column])).close()
        except pa.ArrowNotImplementedError:
            what = f"Parquet has no type for the column {quoted(column.name)}, which is {column.type}"
            raise UsageError(f"{what}; {hint(column.name)}") from None


def screen_table() -> Table:
    """An empty table of a terminal."""
    from rich import box
    from rich.table import Table

    return Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)


def on_screen(table: Table, width: int) -> str:
    """The text of a table in a terminal of so many characters, without blanks at the ends of lines."""
    from rich.console import Console

    text = io.StringIO()
    Console(file=text, width=width, force_terminal=True, highlight=False, markup=False, emoji=False).print(table)
    return "".join(_without_blank_ends([text.getvalue()]))


def _folded(
    names: Sequence[str], cells: Sequence[Sequence[str]], sides: Sequence[bool], widths: Sequence[int], screen: int
) -> str:
    """A table with folded cells, for a screen; it is wider than the screen rather than cut."""
    table = screen_table()
    for name, right, width in zip(names, sides, widths, strict=True):
        table.add_column(name, justify="right" if right else "left", overflow="fold", width=width)
    for row in zip(*cells, strict=True):
        table.add_row(*row)
    return on_screen(table, max(screen, sum(widths) + _BETWEEN * len(names)))


def _full_and_least_widths(
    names: Sequence[str], cells: Sequence[Sequence[str]], sides: Sequence[bool], whole: frozenset[str]
) -> tuple[list[int], list[int]]:
    """The widths of columns where nothing is folded, and where as much is folded as may be; no number is."""
    full, least = [], []
    for name, column, right in zip(names, cells, sides, strict=True):
        head, cell = _widest_line([name]), _widest_line(column)
        full.append(max(head, cell))
        folded = max(cell, min(head, MIN_HEAD_WIDTH)) if right else min(max(head, cell), MIN_TEXT_WIDTH)
        least.append(full[-1] if name in whole else folded)
    return full, least


def _widest_line(texts: Iterable[str]) -> int:
    return max((_width(line) for text in texts for line in text.splitlines()), default=0)


def _fitted_widths(full: Sequence[int], least: Sequence[int], available: int) -> list[int]:
    """Widths whose sum is at most the available one, if the least ones are: the widest columns are narrowed first."""

    def narrowed(bound: int) -> list[int]:
        return [min(width, max(minimum, bound)) for width, minimum in zip(full, least, strict=True)]

    beyond = bisect_right(range(max(full, default=0) + 1), available, key=lambda bound: sum(narrowed(bound)))
    return narrowed(max(beyond - 1, 0))


def text_array(values: Sequence[str]) -> pa.Array:
    """Strings as an Arrow array.

    Made from buffers: `pa.array` imports pandas if installed, which takes longer than scoring a small treebank.
    """
    import pyarrow as pa

    data = [value.encode() for value in values]
    offsets = array("i", accumulate(map(len, data), initial=0))
    return pa.Array.from_buffers(pa.string(), len(data), [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(data))])
