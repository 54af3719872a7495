"""Tables as text for a screen, and as data: CSV, TSV, JSON and Parquet."""

from __future__ import annotations

import io
import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, BinaryIO

from treesql._version import __version__
from treesql.errors import UsageError
from treesql.results.documents import cell_text, is_numeric
from treesql.results.texts import (
    as_bytes,
    check_held,
    hint,
    is_bare,
    is_cast_by_arrow,
    join_texts,
    quoted,
    replace_characters,
    with_json,
    with_shown_texts,
    with_texts,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from treesql.results.result import Result

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


def render_text(
    table: pa.Table,
    percent: frozenset[str] = frozenset(),
    *,
    right: frozenset[str] = frozenset(),
    screen: int | None = None,
) -> str:
    """A table as lines of text, with a header.

    percent: columns of shares, which are shown as percentages. right: columns aligned to the right besides those of
    numbers. screen: characters per line of a terminal, for which long texts are folded and the header is bold; None for
    plain text of any width.
    """
    names, table = table.column_names, with_shown_texts(table)
    cells = [[cell_text(value, name in percent) for value in table[at].to_pylist()] for at, name in enumerate(names)]
    numeric = [name in right or is_numeric(kind) for name, kind in zip(names, table.schema.types, strict=True)]
    text = _plain(names, cells, numeric) if screen is None else _folded(names, cells, numeric, screen)
    lines = [line.rstrip() for line in text.split("\n")]
    return "\n".join(lines).strip("\n") + "\n"


def text_width(table: pa.Table, percent: frozenset[str] = frozenset()) -> int:
    """Number of characters of a line of the table as text."""
    rows = with_shown_texts(table).to_pylist()
    cells = {name: [cell_text(row[name], name in percent) for row in rows] for name in table.column_names}
    return sum(3 + max(map(len, (name, *column))) for name, column in cells.items())


def transpose(result: Result, key: str) -> pa.Table:
    """The transposed table as text; the values of the column `key` become column names."""
    import pyarrow as pa

    measures = [name for name in result.columns if name != key]
    columns = {"measure": _texts(measures)}
    for row in result.rows():
        cells = [cell_text(row[name], name in result.percent) for name in measures]
        width = max(map(len, (*cells, str(row[key]))))
        columns[str(row[key]).rjust(width)] = _texts([cell.rjust(width) for cell in cells])
    return pa.table(columns)


def is_too_wide(result: Result, key: str, width: int) -> bool:
    """Whether a table is too wide for a number of characters, and its transposed table is not."""
    return text_width(result.arrow(), result.percent) > width > text_width(transpose(result, key))


def write_csv(schema: pa.Schema, tables: Iterable[pa.Table], file: BinaryIO) -> None:
    """Write tables of a schema as CSV with a header; all values but numbers, truth values and times have quotes."""
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

    In texts, tabs, newlines, carriage returns and backslashes are written as `\t`, `\n`, `\r` and `\\`. NULL is empty.
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


def _folded(names: list[str], cells: list[list[str]], numeric: list[bool], screen: int) -> str:
    """A table of the width of the screen, with long texts folded."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    min_width = 0
    for name, column, number in zip(names, cells, numeric, strict=True):
        width = max(map(len, (name, *column)))
        column_width = width if number else min(width, MIN_TEXT_WIDTH)
        table.add_column(name, justify="right" if number else "left", overflow="fold", min_width=column_width)
        min_width += column_width + 3
    for row in zip(*cells, strict=True):
        table.add_row(*row)
    text = io.StringIO()
    width = max(screen, min_width)
    Console(file=text, width=width, force_terminal=True, highlight=False, markup=False, emoji=False).print(table)
    return text.getvalue()


def _plain(names: list[str], cells: list[list[str]], numeric: list[bool]) -> str:
    """A table of any width, in the layout of `_folded`."""
    padded = []
    for name, column, number in zip(names, cells, numeric, strict=True):
        sizes = [len(cell) if cell.isascii() else _cell_len(cell) for cell in (name, *column)]
        width = max(sizes)
        blanks = [" " * (width - size) for size in sizes]
        pairs = zip((name, *column), blanks, strict=True)
        padded.append([blank + cell if number else cell + blank for cell, blank in pairs])
    lines = [" " + "   ".join(row) for row in zip(*padded, strict=True)]
    return "\n".join([*lines[:1], " " + "─" * max(len(lines[0]) - 1, 1), *lines[1:]]) if lines else ""


def _cell_len(text: str) -> int:
    """The cells of a terminal that a text takes."""
    from rich.cells import cell_len

    return cell_len(text)


def _texts(values: Sequence[str]) -> pa.Array:
    """Strings as an Arrow array.

    Made from buffers: `pa.array` imports pandas if installed, which takes longer than scoring a small treebank.
    """
    import pyarrow as pa

    data = [value.encode() for value in values]
    offsets = array("i", accumulate(map(len, data), initial=0))
    return pa.Array.from_buffers(pa.string(), len(data), [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(data))])
