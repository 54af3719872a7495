"""Tables as text for a screen, and as data: CSV, TSV, JSON and Parquet; and the files that they are written to."""

from __future__ import annotations

import io
import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from treesql._version import __version__
from treesql.errors import UsageError
from treesql.results.texts import (
    as_bytes,
    check_held,
    hint,
    is_bare,
    is_cast_by_arrow,
    join_texts,
    quoted,
    replace_characters,
    shown_blocks,
    with_json,
    with_shown_texts,
    with_texts,
)
from treesql.runtime import atomic_files

if TYPE_CHECKING:
    import pyarrow as pa


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
    with atomic_files.write_whole(target) as made, made.open("wb") as file:
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

BLOCK = 4096
"""Number of rows whose cells are in memory at a time. What is freed at once is freed while no other thread runs."""


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
    if screen is None:
        return "".join(text_blocks(table, percent, right=right))
    names, shown = table.column_names, with_shown_texts(table)
    cells = [_cells_of(shown, at, name in percent) for at, name in enumerate(names)]
    text = _folded(names, cells, _at_right(table, right), screen)
    return "".join(_without_blank_ends([text]))


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
        kept = text.rstrip("\n")
        between, begun = text[len(kept) :], begun or bool(kept)
        yield kept
    yield "\n"


def text_width(table: pa.Table, percent: frozenset[str] = frozenset()) -> int:
    """Number of characters of a line of the table as text."""
    return sum(3 + max(map(len, (name, *cells))) for name, cells in cells_by_column(table, percent).items())


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


def is_numeric(kind: pa.DataType) -> bool:
    """Whether the values of an Arrow type are numbers."""
    return str(kind).startswith(("int", "uint", "double", "float", "decimal"))


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


def text_array(values: Sequence[str]) -> pa.Array:
    """Strings as an Arrow array.

    Made from buffers: `pa.array` imports pandas if installed, which takes longer than scoring a small treebank.
    """
    import pyarrow as pa

    data = [value.encode() for value in values]
    offsets = array("i", accumulate(map(len, data), initial=0))
    return pa.Array.from_buffers(pa.string(), len(data), [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(data))])
