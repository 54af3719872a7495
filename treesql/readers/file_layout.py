"""How a text file is written beside its content: byte order mark, line ends, final blank line. Taken off, and put back.

Readers see LF line ends and no mark; what a file had is stored with its corpus, so that export writes the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from treesql.errors import Diagnostic, InvalidInput

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
        found = [
            (self.bom, "the file begins with a byte order mark"),
            (self.crlf, "its lines end in CR LF" if self.bom else "lines end in CR LF"),
            (self.no_blank_line or self.no_newline, f"{ending} the last sentence"),
        ]
        what = " and ".join(text for there, text in found if there)
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


def stored(layouts: Iterable[FileLayout]) -> dict[str, list[str] | None]:
    """The layouts of a corpus's files as `corpora` has them: columns by name, None where no file has anything."""
    layouts = list(layouts)
    deviations = [str(one) for one in layouts]
    lines = [one.columns for one in layouts if one.columns is not None]
    return {"layouts": deviations if any(deviations) else None, "global_columns": lines or None}
