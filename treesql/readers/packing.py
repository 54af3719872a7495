"""Compressed files: gzip, xz, bzip2 and Zstandard, known by their first bytes and unpacked block by block."""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from treesql.errors import Diagnostic, InvalidInput

ENDINGS = (".gz", ".xz", ".bz2", ".zst")
"""Endings of compressed files."""

MAX_RATIO = 32
"""Maximum ratio of unpacked to packed bytes. Text packs ten times, parser outputs fifteen; more is an attack."""

MAX_ALWAYS_UNPACKED = 1 << 24
"""Maximum number of unpacked bytes that are allowed whatever the ratio."""

BLOCK_BYTES = 1 << 20
"""Maximum number of bytes unpacked at once."""

MAX_XZ_MEMORY = 1 << 28
"""Maximum number of bytes that unpacking xz takes; `xz -9` asks for a quarter."""

GZIP, XZ, BZIP2, ZSTANDARD = "gzip", "xz", "bzip2", "Zstandard"
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


def without_ending(name: str) -> str:
    """The name of a file without the ending of compression."""
    return next((name.removesuffix(ending) for ending in ENDINGS if name.endswith(ending)), name)


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
        if n_bytes > max(MAX_RATIO * counted.n_bytes, MAX_ALWAYS_UNPACKED):
            what = f"this {packing} file unpacks to more than {MAX_RATIO} times its size"
            raise _error(path, what, "unpack it first if it is what it should be")
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
        found, self._rest = self._rest[:size], self._rest[size:]
        self.n_bytes += len(found)
        return found


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
        raise _error(path, f"this {packing} file ends too early", "fetch or pack it again")


def _zstandard(file: _Counted, path: str) -> Iterator[bytes]:
    import pyarrow as pa

    with pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd") as stream:
        while True:
            try:
                out = stream.read(BLOCK_BYTES)
            except OSError as error:
                if "runcated" in str(error):
                    raise _error(path, f"this {ZSTANDARD} file ends too early", "fetch or pack it again") from None
                raise _damaged(path, ZSTANDARD, error) from None
            if not out:
                return
            yield out


def _damaged(path: str, packing: str, error: Exception) -> InvalidInput:
    return _error(path, f"this {packing} file is damaged ({error})", "fetch or pack it again")


def _error(path: str, what: str, hint: str) -> InvalidInput:
    return InvalidInput([Diagnostic.error(path, 0, what, hint)])
