"""A chunk of a file as bytes, its fields as Arrow strings that are views into it, and batches of such columns; the
faults of a file, up to a limit, with their places, and those of encoding and line ends, which all text formats refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from functools import cached_property

import numpy as np
import pyarrow as pa

from treesql.catalog import schemas
from treesql.errors import FAULTS_SHOWN, Diagnostic, InvalidInput
from treesql.kernels.arrays import Bytes, Flags, Ints, Keys, SmallInts
from treesql.kernels.scanning import text as kernel
from treesql.kernels.scanning.text import Windows
from treesql.readers import BYTES_PER_WORD, Options, State
from treesql.readers.source import MAX_SENTENCE_OPTION, size_in_words

Field = tuple[Ints, Ints]
"""Fields of a text: where they start, and their lengths in bytes."""


class Text:
    """UTF-8 bytes."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.raw: Bytes = np.frombuffer(data, dtype=np.uint8)
        self._buffer = pa.py_buffer(data)

    @cached_property
    def windows(self) -> Windows:
        """The 16 bytes around every offset."""
        return kernel.windows(self.raw)

    def is_open(self, field: Field) -> Flags:
        """Which fields are `_`."""
        starts, lengths = field
        is_open: Flags = (lengths == 1) & (self.raw.take(starts) == kernel.UNDERSCORE)
        return is_open

    def strings(self, field: Field, absent: Flags | None = None) -> pa.Array:
        """Fields as Arrow string views without a copy; NULL where `absent`."""
        return self.array(self.views(field), absent)

    def values(self, field: Field) -> pa.Array:
        """Fields as Arrow string views; NULL where the field is `_`."""
        views = self.views(field)
        return self.array(views, views[:, 0] == kernel.UNDERSCORE_VIEW)

    def views(self, field: Field) -> Keys:
        """Arrow's string views of fields."""
        return kernel.string_views(self.windows, *field)

    def array(self, views: Keys, absent: Flags | None = None) -> pa.Array:
        """Views as Arrow has them; NULL where `absent`."""
        validity = None if absent is None else pa.py_buffer(np.packbits(~absent, bitorder="little"))
        return pa.Array.from_buffers(pa.string_view(), len(views), [validity, pa.py_buffer(views), self._buffer])

    def quote(self, field: Field, position: int) -> str:
        """One field for an error message."""
        start, length = int(field[0][position]), int(field[1][position])
        shown = self.data[start : start + min(length, 60)].decode("utf-8", "replace")
        return f"`{shown}`" if length <= 60 else f"`{shown}...`"

    def invalid_utf8(self) -> int | None:
        """Offset of the first byte that is not UTF-8, None where all are."""
        offsets = pa.py_buffer(np.array([0, len(self.data)], dtype=np.int64))
        try:
            pa.Array.from_buffers(pa.large_utf8(), 1, [None, offsets, self._buffer]).validate(full=True)
        except pa.ArrowInvalid:
            try:
                self.data.decode("utf-8")
            except UnicodeDecodeError as error:
                return error.start
        return None


def numbers(values: Ints | Flags | SmallInts, kind: pa.DataType, absent: Flags | None = None) -> pa.Array:
    """Integers or flags as an Arrow array of this type; NULL where `absent`.

    Made from buffers: `pa.array` would import pandas where it is installed, which takes longer than a small treebank.
    """
    validity = None if absent is None or not absent.any() else pa.py_buffer(np.packbits(~absent, bitorder="little"))
    data = (
        np.packbits(values, bitorder="little")
        if pa.types.is_boolean(kind)
        else values.astype(f"i{kind.bit_width // 8}")
    )
    return pa.Array.from_buffers(kind, len(values), [validity, pa.py_buffer(data)])


def floats(values: Sequence[float]) -> pa.Array:
    """Numbers as an Arrow array of doubles."""
    return pa.Array.from_buffers(pa.float64(), len(values), [None, pa.py_buffer(np.array(values, dtype=np.float64))])


def repeated(value: str, n: int) -> pa.Array:
    """A string n times, as views of it."""
    data = value.encode()
    return Text(data).strings((np.zeros(n, dtype=np.int64), np.full(n, len(data))))


def chosen(texts: Sequence[str], which: Ints) -> pa.Array:
    """Some of a few texts, each as often as `which` names it, as views of them."""
    data = [text.encode() for text in texts]
    lengths = np.array([len(encoded) for encoded in data], dtype=np.int64)
    return Text(b"".join(data)).strings(((np.cumsum(lengths) - lengths)[which], lengths[which]))


def strings_of(texts: Sequence[str]) -> pa.Array:
    """Some texts as Arrow string views."""
    return chosen(texts, np.arange(len(texts)))


def take(field: Field, which: Ints | Flags) -> Field:
    """Some of the fields."""
    return field[0][which], field[1][which]


def no_comments(n: int) -> pa.Array:
    """Comments of n sentences that have none."""
    none = np.zeros(0, dtype=np.int64)
    offsets = numbers(np.zeros(n + 1, dtype=np.int64), pa.int32())
    return pa.ListArray.from_arrays(offsets, Text(b"").strings((none, none)))


Columns = Mapping[str, Callable[[], pa.Array | Ints | Flags]]
"""Functions that return the values of each column; columns without any value may be missing."""


def record_batch(table: str, columns: Columns, state: State, options: Options) -> pa.RecordBatch:
    """Columns in the table's order and types; `sentence` counts on from the sentences before."""
    chosen = None if options.columns is None else options.columns.get(table, frozenset())
    fields = [field for field in schemas.table(table).arrow_schema(chosen) if field.name in columns]
    arrays = []
    for column in fields:
        values = columns[column.name]()
        if column.name == "sentence":
            values = values + state.sentences
        arrays.append(numbers(values, column.type) if isinstance(values, np.ndarray) else values)
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))


def group_of_items(offsets: Ints) -> Ints:
    """For every item the number of its group."""
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def items_before_group(offsets: Ints) -> Ints:
    """For every item the number of items before its group."""
    return np.repeat(offsets[:-1], np.diff(offsets))


def list_array(offsets: Ints, values: pa.Array) -> pa.Array:
    """Lists of values. offsets: where each begins and ends."""
    return pa.ListArray.from_arrays(numbers(offsets, pa.int32()), values)


def list_array_or_null(offsets: Ints, values: pa.Array) -> pa.Array:
    """The same, NULL where a list would be empty."""
    return pa.ListArray.from_arrays(
        numbers(offsets, pa.int32()), values, mask=numbers(np.diff(offsets) == 0, pa.bool_())
    )


def offsets_of(counts: Sequence[int] | Ints) -> Ints:
    """Where the items of each group begin and end: (groups + 1,)."""
    return np.append(0, np.cumsum(np.asarray(counts, dtype=np.int64)))


class JoinedTexts:
    """Texts one after the other, in UTF-8. data: what stands before them."""

    def __init__(self, data: bytes = b"") -> None:
        self.data = data

    def add(self, values: Sequence[str]) -> Field:
        """Where further texts stand, which have no NUL."""
        added = "\0".join([*values, ""]).encode()
        ends = np.flatnonzero(np.frombuffer(added, dtype=np.uint8) == 0) + len(self.data)
        starts = np.append(len(self.data), ends + 1)[: len(ends)]
        self.data += added
        return starts, ends - starts


max_faults = ContextVar("max_faults", default=FAULTS_SHOWN)
"""Maximum number of faults that are collected of a file."""


class LineFault(Exception):
    """A fault of a line: what is wrong, what to do, and the column if one can be named."""


class Faults:
    """Collects the faults of a file, up to `max_faults`, by default FAULTS_SHOWN.

    rows_before: of a part of a table, the number of rows in the parts before it, which numbers of rows include.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.rows_before = 0
        self._limit = max_faults.get()
        self.found: list[Diagnostic] = []
        self._kinds: set[str] = set()

    @property
    def full(self) -> bool:
        """Whether the limit is reached."""
        return len(self.found) >= self._limit

    def add(self, line: int, what: str, hint: str, column: int = 0) -> None:
        """Add a fault; line or column 0 where none can be named."""
        if not self.full:
            line = int(line) - self.rows_before if line else 0
            self.found.append(Diagnostic.error(self.path, line, what, hint, int(column)))

    def add_once(self, line: int, what: str, hint: str, kind: str | None = None) -> None:
        """Add a fault unless the file has one of its kind (None: of its wording) already."""
        if (kind or what) not in self._kinds:
            self._kinds.add(kind or what)
            self.add(line, what, hint)

    def each(self, lines: Iterable[int], what: Callable[[int], str], hint: str) -> None:
        """Add a fault for every line; `what` is called with the position in `lines`."""
        for position, line in enumerate(lines):
            if self.full:
                return
            self.add(line, what(position), hint)

    def raise_any(self) -> None:
        """Raises InvalidInput if there is any fault."""
        if self.found:
            raise InvalidInput(sorted(self.found, key=lambda fault: (fault.line, fault.column)))


def refuse_long(counts: Ints, lines: Ints, size: int, faults: Faults, noun: str = "words") -> None:
    """Note the sentences with more words, edges or links than a sentence of `size` bytes may have.

    counts, lines: of every sentence.
    """
    most = max(size // BYTES_PER_WORD, 1)
    if len(counts) and int(counts.max()) > most:
        for at in (counts > most).nonzero()[0].tolist():
            larger = -(-int(counts[at]) * BYTES_PER_WORD // (1 << 20)) << 20
            needed, allowed = (size_in_words(limit).replace(" ", "") for limit in (larger, size))
            what = f"{counts[at]:,} {noun}, more than the {most:,} of {MAX_SENTENCE_OPTION} {allowed}"
            faults.add(
                int(lines[at]), what, f"check whether lines are missing; {MAX_SENTENCE_OPTION} {needed} takes them"
            )


def clean_text(data: bytes, first: int, last: bool, faults: Faults, *, returns: bool = True) -> bytes:
    """Report faults of encoding and of line ends, and return the bytes of a chunk without them.

    first: number of its first line; last: whether the file ends with it; returns: whether a CR may stand in a line.
    """
    if first == 1 and data.startswith(b"\xef\xbb\xbf"):
        faults.add(1, "the file begins with two byte order marks", "save it as UTF-8 without them")
        data = data[3:]
    if b"\r" in data and b"\r\n" in data:
        line = first + data.count(b"\n", 0, data.find(b"\r\n"))
        faults.add_once(
            line,
            "this line ends in CR LF, the lines before in LF",
            "convert the file to LF line ends, for example with dos2unix",
        )
        data = data.replace(b"\r\n", b"\n")
    if not returns or (first == 1 and last and b"\n" not in data):
        data = replace_returns(data, first, faults, b"\n")
    if b"\0" in data:
        line = first + data.count(b"\n", 0, data.find(b"\0"))
        faults.add_once(line, "a NUL byte", "remove it; a file that has many is of UTF-16, or no text", kind="NUL")
    invalid = Text(data).invalid_utf8()
    if invalid is not None:
        line = first + data.count(b"\n", 0, invalid)
        what = f"byte 0x{data[invalid]:02x} is not UTF-8 here"
        faults.add_once(line, what, "convert the file to UTF-8, for example with iconv", kind="UTF-8")
    return data


def replace_returns(data: bytes, first: int, faults: Faults, instead: bytes) -> bytes:
    """The bytes with `instead` for each CR, which is a fault. first: number of their first line."""
    if b"\r" not in data:
        return data
    line = first + data.count(b"\n", 0, data.find(b"\r"))
    faults.add_once(line, "lines end in CR alone", "convert the file to LF line ends, for example with mac2unix")
    return data.replace(b"\r", instead)


class FilePosition:
    """Lines and columns, counted from chunk to chunk. `line` is that of the chunk's first byte."""

    def __init__(self) -> None:
        self.line, self._column = 1, 0
        self._data = b""

    def end_chunk(self) -> None:
        """Advance to the end of the chunk, where the next begins."""
        line, column = self.line_and_column(len(self._data))
        self.line, self._column, self._data = line, column - 1, b""

    def begin_chunk(self, data: bytes) -> None:
        """Begin the next chunk."""
        self._data = data

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Line and column, in characters, of a byte of the chunk."""
        before = self._data.count(b"\n", 0, offset)
        start = self._data.rfind(b"\n", 0, offset) + 1
        column = len(self._data[start:offset].decode("utf-8", "replace")) + 1
        return self.line + before, column if before else self._column + column
