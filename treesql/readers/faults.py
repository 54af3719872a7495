"""The faults of one file, up to a limit; those of encoding and line ends, which all text formats refuse; and places."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar

from treesql.errors import FAULTS_SHOWN, Diagnostic, InvalidInput
from treesql.kernels.arrays import Ints
from treesql.readers import BYTES_PER_WORD
from treesql.readers.fields import Text
from treesql.readers.source import MAX_SENTENCE_OPTION, size_in_words

max_faults = ContextVar("max_faults", default=FAULTS_SHOWN)
"""Maximum number of faults that are collected of a file."""


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
            needed, allowed = (size_in_words(one).replace(" ", "") for one in (larger, size))
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
