"""Line and column of a byte of a chunk, for formats whose chunks may begin within a line."""

from __future__ import annotations


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
