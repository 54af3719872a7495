"""Files as the user names them: folders, patterns and standard input, read in chunks that end with a sentence."""

from __future__ import annotations

import glob
import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from treesql.errors import Diagnostic, InvalidInput
from treesql.readers import sentence_limits
from treesql.readers.content import HEAD_BYTES, describe_foreign
from treesql.readers.file_layout import FileLayout, plain_blocks
from treesql.readers.packing import ENDINGS, packing_of, unpacked

CHUNK_BYTES = 1 << 20
STANDARD_INPUT = "-"

MAX_ENDINGS_NAMED = 6
"""Maximum number of endings named where a folder has no file with one of them."""

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
        blocks = self._blocks(size if limit is None else min(size, limit))
        for block in plain_blocks(blocks, self.layout, self.name):
            if len(self.head) < HEAD_BYTES:
                self.head += block[:HEAD_BYTES]
            cut = (cut_of or after_last_blank_line)(block)
            carried = len(block) - cut if cut else carried + len(block)
            if limit is not None and carried > limit:
                data = b"".join([*carry, block])
                line = self._line_at(passed + len(data) - len(data[len(data) - carried :].lstrip()))
                raise InvalidInput([Diagnostic.error(self.name, line, *sentence_limits.fault(limit))])
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
        for block in plain_blocks(self._blocks(HEAD_BYTES), FileLayout(), self.name):
            return block[:HEAD_BYTES]
        return b""

    def _line_at(self, offset: int) -> int:
        """The line of a byte, 0 of standard input. The file is read once more: counting all lines would cost others."""
        line = 1
        if self.path == STANDARD_INPUT:
            return 0
        blocks = Source(self.path, digest=False)._blocks(CHUNK_BYTES)
        for block in plain_blocks(blocks, FileLayout(), self.name):
            line += block.count(b"\n", 0, max(offset, 0))
            offset -= len(block)
            if offset <= 0:
                break
        return line

    def _blocks(self, size: int) -> Iterator[bytes]:
        try:
            if self.path == STANDARD_INPUT:
                if sys.stdin is None:
                    raise OSError("standard input is closed")
                yield from self._unpacked(sys.stdin.buffer, size)
            else:
                with open(self.path, "rb") as file:
                    yield from self._unpacked(file, size)
        except OSError as error:
            raise InvalidInput(
                [Diagnostic.error(self.name, 0, error.strerror or str(error), "name a file that can be read")]
            ) from None

    def _unpacked(self, file: BinaryIO, size: int) -> Iterator[bytes]:
        first, blocks = _with_first(self._raw(file, size))
        packing = packing_of(first)
        if packing:
            first, blocks = _with_first(unpacked(blocks, packing, self.name))
        foreign = describe_foreign(first, packing)
        if foreign:
            raise InvalidInput([Diagnostic.error(self.name, 0, *foreign)])
        yield from blocks

    def _raw(self, file: BinaryIO, size: int) -> Iterator[bytes]:
        while block := file.read(size):
            if self._digest:
                self._digest.update(block)
            if self._progress:
                self._progress(len(block))
            yield block


def expand(paths: Iterable[str | Path], suffixes: Iterable[str]) -> list[str]:
    """The files behind paths, patterns (`*`, `?`, `[...]`, `**`) and folders, of which files with `suffixes` are taken.

    Raises InvalidInput where nothing is there.
    """
    found: list[str] = []
    suffixes = tuple(suffixes)
    endings = tuple(ending + packed for ending in suffixes for packed in ("", *ENDINGS))
    faults: list[Diagnostic] = []
    for path in map(str, paths):
        here: list[str] = []
        if path == STANDARD_INPUT or Path(path).is_file():
            here = [path]
        elif path and Path(path).is_dir():
            here = [str(file) for file in files_below(Path(path), endings)]
        elif glob.has_magic(path):
            here = sorted(file for file in glob.glob(path, recursive=True) if Path(file).is_file())
        if not here:
            folder = path and Path(path).is_dir()
            what = f"no {_describe_endings(suffixes)} is in this folder" if folder else "there is no such file"
            hint = f"check the path, or name its files by a pattern: '{path}/*'" if folder else "check the path"
            if path and not folder and Path(path).exists():
                what, hint = "this is not a file but a device or a pipe", "give it as standard input, by the name -"
            faults.append(Diagnostic.error(path, 0, what, hint))
        unnamed = [file for file in here if not _is_utf8(file)]
        faults += [Diagnostic.error(repr(file), 0, "this file's name is not UTF-8", "rename it") for file in unnamed]
        found += here
    if faults:
        raise InvalidInput(faults)
    return found


def _describe_endings(suffixes: Sequence[str]) -> str:
    """The files that are expected, in words; endings are named where they are few, a single one with a packed one."""
    named = suffixes if len(suffixes) > 1 else [suffix + packed for suffix in suffixes for packed in ("", ENDINGS[0])]
    if len(named) > MAX_ENDINGS_NAMED:
        return "file with the ending of a known format"
    return f"{', '.join(named[:-1])} or {named[-1]} file"


def files_below(folder: Path, endings: tuple[str, ...]) -> list[Path]:
    """The files of a folder and its subfolders with these endings, sorted; hidden ones left out."""
    found = (file for file in folder.rglob("*") if file.is_file() and file.name.endswith(endings))
    shown = (file for file in found if not any(part.startswith(".") for part in file.relative_to(folder).parts))
    return sorted(shown, key=str)


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _with_first(blocks: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The first of some blocks, and all of them."""
    first = next(blocks, b"")
    return first, chain([first] if first else [], blocks)


def after_last_blank_line(block: bytes) -> int:
    """Offset behind the last blank line of a block, 0 where it has none."""
    for ending in (b"\n\n", b"\n\r\n"):
        found = block.rfind(ending)
        if found >= 0:
            return found + len(ending)
    return 0
