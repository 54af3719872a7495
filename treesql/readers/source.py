"""Files as the user names them: folders, patterns and standard input, read in chunks that end with a sentence; and what
is given in memory instead.

On their way the bytes of a file are unpacked, and refused where they are those of no text (a PDF file, a workbook).
Readers see LF line ends and no byte order mark; what a file had is its `FileLayout`, which is stored with its corpus,
so that export writes the same bytes.
"""

from __future__ import annotations

import bz2
import glob
import hashlib
import io
import lzma
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from treesql.errors import Diagnostic, InvalidInput, why_unreadable
from treesql.runtime import steps

CHUNK_BYTES = 1 << 20
STANDARD_INPUT = "-"

HEAD_BYTES = 4096
"""Maximum number of bytes of a file that its format is recognised by."""

MAX_ENDINGS_NAMED = 6
"""Maximum number of endings named where a folder has no file with one of them."""


class Content(str):
    """What is given in memory instead of as a file: the name by which messages cite it, in place of a path.

    data: its bytes. origin: what it was, `bytes` or `list`, which stands for the file's name in signatures.
    """

    data: bytes
    origin: str

    def __new__(cls, name: str, data: bytes, origin: str) -> Content:
        """Make the name, which a text cannot get later."""
        made = super().__new__(cls, name)
        made.data, made.origin = data, origin
        return made

    @property
    def form(self) -> str | None:
        """Its format, where that is known."""
        return None

    def __str__(self) -> Content:
        """Itself, so that what makes texts of paths keeps the bytes."""
        return self


def is_readable_file(path: str) -> bool:
    """Whether a path is that of a file, or stands for what is given in memory."""
    return isinstance(path, Content) or Path(path).is_file()


def size_of(path: str) -> int:
    """The number of bytes of a file, or of what is given in memory; 0 where a path is neither."""
    if isinstance(path, Content):
        return len(path.data)
    return Path(path).stat().st_size if Path(path).is_file() else 0


Cut = Callable[[bytes], int]
"""The offset in a block behind which it may be cut, 0 if nowhere. Called with all blocks of a file in order."""


@dataclass(frozen=True)
class Chunk:
    """A run of whole sentences of a file; `last` says that the file ends here."""

    data: bytes
    last: bool


class Source:
    """One file to be read once. After `chunks()`, `sha256` is the digest of its bytes, unless `digest` is False.

    Chunks have LF line ends and no byte order mark; `layout` says what the file has, `head` are its first bytes.
    """

    def __init__(self, path: str, progress: Callable[[int], object] | None = None, *, digest: bool = True) -> None:
        self.path = path
        self.layout = FileLayout()
        self.head = b""
        self._digest = hashlib.sha256() if digest else None
        self._progress = progress

    @property
    def name(self) -> str:
        """The file as errors name it."""
        return "<stdin>" if self.path == STANDARD_INPUT else self.path

    @property
    def sha256(self) -> str:
        """Hexadecimal digest of the bytes read so far."""
        assert self._digest
        return self._digest.hexdigest()

    def chunks(self, size: int = CHUNK_BYTES, cut_of: Cut | None = None, limit: int | None = None) -> Iterator[Chunk]:
        """The file in chunks of about `size` bytes, cut behind blank lines or where `cut_of` says.

        limit: bytes that may stand between two cuts; up to a block more are taken. Raises InvalidInput.
        """
        carry: list[bytes] = []
        carried, passed = 0, 0
        blocks = self.unpacked_blocks(size if limit is None else min(size, limit))
        for block in plain_blocks(blocks, self.layout, self.name):
            if len(self.head) < HEAD_BYTES:
                self.head += block[:HEAD_BYTES]
            cut = (cut_of or after_last_blank_line)(block)
            carried = len(block) - cut if cut else carried + len(block)
            if limit is not None and carried > limit:
                data = b"".join([*carry, block])
                line = self._line_at(passed + len(data) - len(data[len(data) - carried :].lstrip()))
                raise InvalidInput([Diagnostic.error(self.name, line, *fault_of_size(limit))])
            if not cut:
                carry.append(block)
                continue
            chunk = Chunk(b"".join([*carry, block[:cut]]), last=False)
            passed += len(chunk.data)
            yield chunk
            carry = [block[cut:]]
        yield Chunk(b"".join(carry), last=True)

    def peek(self) -> bytes:
        """The first bytes of the file, up to HEAD_BYTES. Raises InvalidInput."""
        for block in plain_blocks(self.unpacked_blocks(HEAD_BYTES), FileLayout(), self.name):
            return block[:HEAD_BYTES]
        return b""

    def _line_at(self, offset: int) -> int:
        """The line of a byte, 0 of standard input. The file is read once more: counting all lines would cost others."""
        line = 1
        if self.path == STANDARD_INPUT:
            return 0
        blocks = Source(self.path, digest=False).unpacked_blocks(CHUNK_BYTES)
        for block in plain_blocks(blocks, FileLayout(), self.name):
            line += block.count(b"\n", 0, max(offset, 0))
            offset -= len(block)
            if offset <= 0:
                break
        return line

    def unpacked_blocks(self, size: int) -> Iterator[bytes]:
        """The bytes of the file, unpacked, in blocks. Raises InvalidInput."""
        try:
            if isinstance(self.path, Content):
                yield from self._unpacked(io.BytesIO(self.path.data), size)
            elif self.path == STANDARD_INPUT:
                if sys.stdin is None:
                    raise OSError("standard input is closed")
                yield from self._unpacked(sys.stdin.buffer, size)
            else:
                with open(self.path, "rb") as file:
                    yield from self._unpacked(file, size)
        except OSError as error:
            raise InvalidInput(
                [Diagnostic.error(self.name, 0, why_unreadable(error), "name a file that can be read")]
            ) from None

    def _unpacked(self, file: BinaryIO, size: int) -> Iterator[bytes]:
        head, blocks = _with_head(self._raw(file, size))
        packing = packing_of(head)
        if packing:
            head, blocks = _with_head(unpacked(blocks, packing, self.name))
        foreign = describe_foreign(head, packing)
        if foreign:
            raise InvalidInput([Diagnostic.error(self.name, 0, *foreign)])
        yield from blocks

    def _raw(self, file: BinaryIO, size: int) -> Iterator[bytes]:
        while block := file.read(size):
            if self._digest:
                self._digest.update(block)
            if self._progress:
                self._progress(len(block))
            if steps.when_done:
                steps.add_bytes(len(block))
            yield block


MAX_SENTENCE_OPTION = "--max-sentence"

UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
"""Bytes of the units that sizes are written in."""


def size_in_words(size: int) -> str:
    """A number of bytes in the largest unit that it is a whole number of."""
    unit = next(unit for unit in ("g", "m", "k", "") if size % UNITS[unit] == 0)
    return f"{size // UNITS[unit]} {unit if unit == 'k' else unit.upper()}B"


def fault_of_size(size: int) -> tuple[str, str]:
    """What is wrong with a larger sentence, and what to do about it."""
    larger = size_in_words(4 * size).replace(" ", "")
    return (
        f"a sentence of more than {size_in_words(size)}",
        f"check whether something is left open; {MAX_SENTENCE_OPTION} {larger} takes larger ones",
    )


def expand(paths: Iterable[str | Path], suffixes: Iterable[str]) -> list[str]:
    """The files behind paths, patterns (`*`, `?`, `[...]`, `**`) and folders, of which files with `suffixes` are taken.

    Raises InvalidInput where nothing is there.
    """
    files: list[str] = []
    suffixes = tuple(suffixes)
    faults: list[Diagnostic] = []
    for path in map(str, paths):
        here: list[str] = []
        if path == STANDARD_INPUT or is_readable_file(path):
            here = [path]
        elif path and Path(path).is_dir():
            endings = tuple(ending + packed for ending in suffixes for packed in ("", *PACKED_ENDINGS))
            here = [str(file) for file in files_below(Path(path), endings)]
        elif glob.has_magic(path):
            here = sorted(file for file in glob.glob(path, recursive=True) if Path(file).is_file())
        if not here:
            folder = path and Path(path).is_dir()
            what = f"no {_describe_endings(suffixes)} is in this folder" if folder else "there is no such file"
            hint = f"check the path, or name its files by a pattern: '{path}/*'" if folder else _hint_at_missing(path)
            if path and not folder and Path(path).exists():
                what, hint = "this is not a file but a device or a pipe", "give it as standard input, by the name -"
            faults.append(Diagnostic.error(path, 0, what, hint))
        unnamed = [file for file in here if not _is_utf8(file)]
        faults += [Diagnostic.error(repr(file), 0, "this file's name is not UTF-8", "rename it") for file in unnamed]
        files += here
    if faults:
        raise InvalidInput(faults)
    return files


def _hint_at_missing(path: str) -> str:
    """What to do about a file that is missing; its path may have a name in front."""
    file = path.partition("=")[2]
    if not file or not Path(file).exists():
        return "check the path"
    return f"{file} is there; a corpus has its name from --corpus NAME, a system from --system NAME=FILE"


def _describe_endings(suffixes: Sequence[str]) -> str:
    """The files that are expected, in words; endings are named where they are few, a single one with a packed one."""
    named = (
        suffixes
        if len(suffixes) > 1
        else [suffix + packed for suffix in suffixes for packed in ("", PACKED_ENDINGS[0])]
    )
    if len(named) > MAX_ENDINGS_NAMED:
        return "file with the ending of a known format"
    return f"{', '.join(named[:-1])} or {named[-1]} file"


def files_below(folder: Path, endings: tuple[str, ...]) -> list[Path]:
    """The files of a folder and its subfolders with these endings, sorted; hidden ones left out."""
    files = (file for file in folder.rglob("*") if file.is_file() and file.name.endswith(endings))
    shown = (file for file in files if not any(part.startswith(".") for part in file.relative_to(folder).parts))
    return sorted(shown, key=str)


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _with_head(blocks: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The bytes that say what a file is, as many as HEAD_BYTES whatever the size of blocks, and all blocks."""
    first: list[bytes] = []
    for block in blocks:
        first.append(block)
        if sum(map(len, first)) >= HEAD_BYTES:
            break
    return b"".join(first), chain(first, blocks)


def after_last_blank_line(block: bytes) -> int:
    """Offset behind the last blank line of a block, 0 where it has none."""
    for ending in (b"\n\n", b"\n\r\n"):
        place = block.rfind(ending)
        if place >= 0:
            return place + len(ending)
    return 0


PACKED_ENDINGS = (".gz", ".xz", ".bz2", ".zst")
"""Endings of compressed files."""

MAX_UNPACKED_RATIO = 32
"""Maximum ratio of unpacked to packed bytes. Text packs ten times, parser outputs fifteen; more is an attack."""

MAX_ALWAYS_UNPACKED = 1 << 24
"""Maximum number of unpacked bytes that are allowed whatever the ratio."""

BLOCK_BYTES = 1 << 20
"""Maximum number of bytes unpacked at once."""

MAX_XZ_MEMORY = 1 << 28
"""Maximum number of bytes that unpacking xz takes; `xz -9` asks for a quarter."""

GZIP, XZ, BZIP2, ZSTANDARD = "gzip", "xz", "bzip2", "Zstandard"
"""Compressions, known by the first bytes of a file and unpacked block by block."""

_MAGIC = {b"\x1f\x8b": GZIP, b"\xfd7zXZ\0": XZ, b"BZh": BZIP2, b"\x28\xb5\x2f\xfd": ZSTANDARD}


class _Member(Protocol):
    """What unpacks one of the packed files that stand one behind another."""

    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class _GzipMember:
    """zlib's decompressor with the interface of those of bzip2 and xz."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return self._inflate.eof

    @property
    def needs_input(self) -> bool:
        return not self._inflate.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._inflate.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._inflate.decompress(self._inflate.unconsumed_tail + data, max_length)


_MEMBERS: dict[str, Callable[[], _Member]] = {
    GZIP: _GzipMember,
    XZ: lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MAX_XZ_MEMORY),
    BZIP2: bz2.BZ2Decompressor,
}


def without_packed_ending(name: str) -> str:
    """The name of a file without the ending of compression."""
    return next((name.removesuffix(ending) for ending in PACKED_ENDINGS if name.endswith(ending)), name)


def packing_of(first: bytes) -> str | None:
    """The compression of a file with these first bytes, None for others."""
    return next((name for magic, name in _MAGIC.items() if first.startswith(magic)), None)


def unpacked(blocks: Iterable[bytes], packing: str, path: str) -> Iterator[bytes]:
    """The content of a compressed file, of one member or several; zeros may stand between and behind them.

    Raises InvalidInput for files that are damaged, cut off, or unpack to more than MAX_RATIO times their size.
    """
    counted = _Counted(blocks)
    n_bytes = 0
    pieces = _zstandard(counted, path) if packing == ZSTANDARD else _members(counted, packing, path)
    for piece in pieces:
        n_bytes += len(piece)
        if n_bytes > max(MAX_UNPACKED_RATIO * counted.n_bytes, MAX_ALWAYS_UNPACKED):
            what = f"this {packing} file unpacks to more than {MAX_UNPACKED_RATIO} times its size"
            raise _packing_error(path, what, "unpack it first if it is what it should be")
        yield piece


def open_packed(path: Path, name: str) -> BinaryIO:
    """A file for writing, compressed as the ending of its name says; the same content gives the same bytes."""
    if name.endswith(".gz"):
        import gzip  # here, for only what is written needs it

        return cast(BinaryIO, gzip.GzipFile(path, "wb", mtime=0))
    if name.endswith(".xz"):
        return cast(BinaryIO, lzma.open(path, "wb"))
    if name.endswith(".bz2"):
        return cast(BinaryIO, bz2.open(path, "wb"))
    if name.endswith(".zst"):
        import pyarrow as pa

        return cast(BinaryIO, pa.CompressedOutputStream(pa.OSFile(str(path), "wb"), "zstd"))
    return path.open("wb")


class _Counted(io.RawIOBase):
    """Blocks as an iterator and as a file, with the number of bytes read."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks, self._rest = iter(blocks), b""
        self.n_bytes = 0

    def __iter__(self) -> Iterator[bytes]:
        for block in self._blocks:
            self.n_bytes += len(block)
            yield block

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if not self._rest:
            self._rest = next(self._blocks, b"")
        data, self._rest = self._rest[:size], self._rest[size:]
        self.n_bytes += len(data)
        return data


def _members(blocks: Iterable[bytes], packing: str, path: str) -> Iterator[bytes]:
    member, fed = _MEMBERS[packing](), False
    for block in blocks:
        data = block
        while True:
            data = data if fed else data.lstrip(b"\0")
            if not data and (not fed or member.needs_input):
                break
            try:
                out = member.decompress(data, BLOCK_BYTES)
            except (zlib.error, lzma.LZMAError, OSError, EOFError) as error:
                raise _damaged(path, packing, error) from None
            data, fed = b"", True
            if member.eof:
                data, member, fed = member.unused_data, _MEMBERS[packing](), False
            if out:
                yield out
    if fed:
        raise _packing_error(path, f"this {packing} file ends too early", "fetch or pack it again")


def _zstandard(file: _Counted, path: str) -> Iterator[bytes]:
    import pyarrow as pa

    with pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd") as stream:
        while True:
            try:
                out = stream.read(BLOCK_BYTES)
            except OSError as error:
                if "runcated" in str(error):
                    raise _packing_error(
                        path, f"this {ZSTANDARD} file ends too early", "fetch or pack it again"
                    ) from None
                raise _damaged(path, ZSTANDARD, error) from None
            if not out:
                return
            yield out


def _damaged(path: str, packing: str, error: Exception) -> InvalidInput:
    return _packing_error(path, f"this {packing} file is damaged ({error})", "fetch or pack it again")


def _packing_error(path: str, what: str, hint: str) -> InvalidInput:
    return InvalidInput([Diagnostic.error(path, 0, what, hint)])


_FLAGS = ("bom", "crlf", "no_blank_line", "no_newline", "no_root")

MARK = b"\xef\xbb\xbf"
"""The byte order mark in UTF-8."""


@dataclass
class FileLayout:
    """What deviates from UTF-8 lines that end in LF.

    bom: a byte order mark at the beginning; crlf: every line ends in CR LF; no_blank_line: the blank line behind the
    last sentence is missing; no_newline: the line end before it, too. no_root: no tree of discbracket is in a bracket
    `ROOT`. columns: the first line of CoNLL-U Plus, which names them.
    """

    bom: bool = False
    crlf: bool = False
    no_blank_line: bool = False
    no_newline: bool = False
    no_root: bool = False
    columns: str | None = None

    def __str__(self) -> str:
        """The deviations as `corpora.layouts` has them: `bom crlf`; empty for none."""
        return " ".join(name for name in _FLAGS if getattr(self, name))

    @classmethod
    def parse(cls, text: str | None) -> FileLayout:
        """The layout that `str` wrote; None: one without deviations."""
        names = (text or "").split()
        bom, crlf, no_blank_line, no_newline, no_root = (name in names for name in _FLAGS)
        return cls(bom, crlf, no_blank_line, no_newline, no_root)

    def warning(self, path: str) -> Diagnostic | None:
        """The warning about a file of this layout, None where nothing deviates."""
        ending = "no line end and no blank line follow" if self.no_newline else "no blank line follows"
        deviations = [
            (self.bom, "the file begins with a byte order mark"),
            (self.crlf, "its lines end in CR LF" if self.bom else "lines end in CR LF"),
            (self.no_blank_line or self.no_newline, f"{ending} the last sentence"),
        ]
        what = " and ".join(text for there, text in deviations if there)
        if not what:
            return None
        hint = "it is read; save it as UTF-8 with LF line ends"
        if self.no_blank_line or self.no_newline:
            hint = "it is read; check that it is not cut off"
        return Diagnostic.warning(path, 0, what, hint)

    def restored(self, out: BinaryIO) -> RestoringFile:
        """A file to write plain text to, which reaches `out` in this layout; to be closed."""
        return RestoringFile(out, self)


class RestoringFile:
    """A file opened for writing that adds a byte order mark and CRs, and leaves out line ends at the end."""

    def __init__(self, out: BinaryIO, layout: FileLayout) -> None:
        self._out, self._layout = out, layout
        self._held = MARK if layout.bom else b""
        self._left_out = 2 if layout.no_newline else int(layout.no_blank_line)

    def write(self, data: bytes) -> int:
        """Write text whose lines end in LF."""
        text = bytes(data)
        if self._layout.crlf:
            text = text.replace(b"\n", b"\r\n")
        text = self._held + text
        keep = len(text) - len(self._line_end) * self._left_out
        self._out.write(text[: max(keep, 0)])
        self._held = text[max(keep, 0) :]
        return len(data)

    def close(self) -> None:
        """Write what was held back, without the line ends that the file did not have. `out` stays open."""
        text = self._held
        for _ in range(self._left_out):
            text = text.removesuffix(self._line_end)
        self._out.write(text)

    @property
    def _line_end(self) -> bytes:
        return b"\r\n" if self._layout.crlf else b"\n"


def plain_blocks(blocks: Iterable[bytes], layout: FileLayout, path: str) -> Iterator[bytes]:
    """Blocks of a file without its byte order mark and with LF line ends; notes in `layout` what it had.

    The first line end determines those of the file. Raises InvalidInput at the first line of a CR LF file that ends
    in LF; CR LF in other files stays, for readers to refuse.
    """
    rest = iter(_without_mark(iter(blocks), layout))
    held = b""
    for block in rest:
        block = held + block
        held = b"\r" if block.endswith(b"\r") else b""
        if held:
            block = block[:-1]
        first = block.find(b"\n")
        if first < 0:
            yield block
            continue
        if block[first - 1 : first] == b"\r":
            layout.crlf = True
            yield from _without_returns(block, held, rest, path)
        else:
            yield block + held
            yield from rest
        return
    if held:
        yield held


def _without_mark(blocks: Iterator[bytes], layout: FileLayout) -> Iterator[bytes]:
    first = b""
    while len(first) < len(MARK) and MARK.startswith(first) and (block := next(blocks, b"")):
        first += block
    layout.bom = first.startswith(MARK)
    first = first.removeprefix(MARK)
    if first:
        yield first
    yield from blocks


def _without_returns(block: bytes, held: bytes, rest: Iterator[bytes], path: str) -> Iterator[bytes]:
    """Blocks of a file with CR LF line ends, without these CRs. held: a CR behind the first block, or nothing."""
    line = 1
    while True:
        plain = block.replace(b"\r\n", b"\n")
        n_lines = plain.count(b"\n")
        if len(block) - len(plain) != n_lines:
            ends = block.replace(b"\r\n", b"\r\r")  # what is left of LF stands alone
            line += block.count(b"\n", 0, ends.find(b"\n"))
            what = "this line ends in LF, the lines before in CR LF"
            hint = "convert the file to LF line ends, for example with dos2unix"
            raise InvalidInput([Diagnostic.error(path, line, what, hint)])
        line += n_lines
        if plain:
            yield plain
        following = next(rest, None)
        if following is None:
            break
        block = held + following
        held = b"\r" if block.endswith(b"\r") else b""
        block = block.removesuffix(held)
    if held:
        yield held


def stored_layouts(layouts: Iterable[FileLayout]) -> dict[str, list[str] | None]:
    """The layouts of a corpus's files as `corpora` has them: columns by name, None where no file has anything."""
    layouts = list(layouts)
    deviations = [str(layout) for layout in layouts]
    lines = [layout.columns for layout in layouts if layout.columns is not None]
    return {"layouts": deviations if any(deviations) else None, "global_columns": lines or None}


MIN_CONTROLS = 8
"""Minimum number of control characters in the first bytes of a binary file: a text may have one by mistake."""

TEXT_PER_CONTROL = 20
"""Maximum number of bytes for each control character in a binary file; random bytes have 9."""

_CONTROLS = bytes({*range(32), 127} - set(b"\t\n\v\f\r\x1b\x1c\x1d\x1e\x1f"))
"""Control characters that text does not have."""

_TEXT_FST = "write it as text with `fstprint`, and read that with --from openfst"
_TO_UTF_8 = "convert it to UTF-8, for example with iconv"
_THE_DATA = "give the file with the trees, alignments, lattices or texts themselves"
_XML = rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml\b[^<]*)?(?:<[?!][^<]*)*"
"""What stands before the outermost element of an XML file."""

_CZECH_ENGLISH = """sel -t -m //s -v 'normalize-space(concat(sure, " ", translate(possible, "-", "p")))' -n"""
_TMX_TEXT = """sel -t -m '//tu/tuv[@xml:lang="en"]' -v 'normalize-space(seg)' -n"""
_FOREIGN: Sequence[tuple[re.Pattern[bytes], str, str]] = [
    (re.compile(rb"\xd6\xfd\xb2\x7e"), "a binary OpenFst file", _TEXT_FST),
    (
        re.compile(rb"PK\x03\x04.{0,2000}(?:xl/|word/|\[Content_Types\])", re.S),
        "an xlsx workbook or another Office file",
        "save it as text",
    ),
    (re.compile(rb"PK\x03\x04"), "a zip archive", "unpack it first"),
    (re.compile(rb".{257}ustar", re.S), "a tar archive", "unpack it, and name the files in it"),
    (re.compile(rb"\xd0\xcf\x11\xe0"), "an Excel or Word file", "save it as text"),
    (re.compile(rb"7z\xbc\xaf\x27\x1c|Rar!\x1a\x07"), "a 7z or rar archive", "unpack it first"),
    (re.compile(rb"%PDF-"), "a PDF file", _THE_DATA),
    (re.compile(rb"\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a"), "a picture (PNG, JPEG or GIF)", _THE_DATA),
    (re.compile(rb"RIFF.{4}WAVE|OggS|fLaC|ID3[\x02-\x04]", re.S), "a sound file", _THE_DATA),
    (re.compile(rb"\x7fELF"), "a program (ELF)", _THE_DATA),
    (re.compile(rb"SQLite format 3\0"), "an SQLite database", "export its text, and name that file"),
    (re.compile(rb"\x93NUMPY|\x89HDF\r\n|ARROW1\0\0|\x80[\x02-\x05]"), "a file of arrays or objects", _THE_DATA),
    (re.compile(rb"PAR1"), "a Parquet file", "name the folder that `treesql export` wrote, or --from parquet"),
    (
        re.compile(rb".{8}DUCK", re.S),
        "a DuckDB database",
        "name a file of trees; corpora of a database are named with --db",
    ),
    (re.compile(rb"\xff\xfe|\xfe\xff"), "a UTF-16 file", _TO_UTF_8),
    (
        re.compile(_XML + rb"<\w+[^>]*>\s*<s\b.*?<(?:sure|possible)\b", re.S),
        "the XML of the Czech-English Manual Word Alignment",
        f"write its links with `xmlstarlet {_CZECH_ENGLISH} FILE`, and read them with --from talp",
    ),
    (
        re.compile(_XML + rb"<cesAlign[\s/>]"),
        "the XML of XCES, in which OPUS aligns the sentences of Europarl and others",
        "write its texts with `opus_read -wm moses` of OpusTools; links between their words come from an aligner",
    ),
    (
        re.compile(_XML + rb"<tmx[\s/>]"),
        "TMX, a translation memory, which has no links between words",
        f"write the text of a language with `xmlstarlet {_TMX_TEXT} FILE`; links between texts come from an aligner",
    ),
    (
        re.compile(_XML + rb"<(?:treex_document|[amtw]data)[\s/>]"),
        "the XML of Treex or PML, as of the Prague dependency treebanks",
        "convert it with treex: `treex -Len Read::Treex from=FILE Write::CoNLLU`; of PML with Read::PDT",
    ),
    (
        # the outermost element, where it is read so far, is another than that of TIGER-XML
        re.compile(rb"(?:\xef\xbb\xbf)?<\?xml\b[^<]*(?:<[?!][^<]*)*<(?!corpus[\s/>])[A-Za-z_][\w.:-]*[\s/>]"),
        "an XML file",
        "convert it to one of the formats that `treesql load --help` lists",
    ),
    (re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html)[\s>]", re.IGNORECASE), "a web page (HTML)", _THE_DATA),
]


def describe_foreign(head: bytes, packing: str | None = None) -> tuple[str, str] | None:
    """What a file with these first bytes is, and what to do; None unless it is a known one of no text format.

    packing: the compression that the bytes were unpacked from.
    """
    packed = f", packed with {packing}" if packing else ""
    if packing and (inner := packing_of(head)):
        return f"this is a {inner} file{packed}", "unpack it once"
    named = ((what, hint) for pattern, what, hint in _FOREIGN if pattern.match(head))
    what, hint = next(named, None) or _describe_bytes(head[:HEAD_BYTES]) or ("", "")
    return (f"this is {what}{packed}", hint) if what else None


def _describe_bytes(head: bytes) -> tuple[str, str] | None:
    """What bytes are that are no text: in text, few are control characters."""
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if controls < MIN_CONTROLS or controls < len(head) / TEXT_PER_CONTROL:
        return None
    even, odd = (head[at::2].count(0) for at in (0, 1))
    if min(even, odd) == 0 and max(even, odd) > len(head) / 4:  # as of letters of Latin
        return "a UTF-16 file", _TO_UTF_8
    return "a binary file, of none of the formats that are read", _THE_DATA
