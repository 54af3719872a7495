"""Where in a file a byte of a chunk stands, for formats whose chunks may begin within a line."""

from __future__ import annotations


class Places:
    """Lines and columns, counted on from chunk to chunk. `line` is that of the chunk's first byte."""

    def __init__(self) -> None:
        self.line, self._column = 1, 0
        self._data = b""

    def leave(self) -> None:
        """Go to the end of the chunk, where the next begins."""
        line, column = self.of(len(self._data))
        self.line, self._column, self._data = line, column - 1, b""

    def enter(self, data: bytes) -> None:
        """Take up the next chunk."""
        self._data = data

    def of(self, offset: int) -> tuple[int, int]:
        """Line and column, in characters, of a byte of the chunk."""
        before = self._data.count(b"\n", 0, offset)
        start = self._data.rfind(b"\n", 0, offset) + 1
        column = len(self._data[start:offset].decode("utf-8", "replace")) + 1
        return self.line + before, column if before else self._column + column
