"""What the tests of readers share: files in, rows or faults out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from treesql.errors import Diagnostic, InvalidInput
from treesql.readers import Options, State, read
from treesql.readers.source import CHUNK_BYTES, Chunk, Cut, Source

Rows = list[dict[str, Any]]


class Piecewise(Source):
    """A file that is read at most `size` bytes at a time."""

    def __init__(self, path: str, size: int) -> None:
        super().__init__(path)
        self.size = size

    def chunks(self, size: int = 0, cut_of: Cut | None = None, limit: int | None = None) -> Iterator[Chunk]:
        return super().chunks(min(size or self.size, self.size), cut_of, limit)


def read_rows(
    path: Path | str,
    form: str = "conllu",
    *,
    state: State | None = None,
    size: int = CHUNK_BYTES,
    options: Options | None = None,
) -> dict[str, Rows]:
    """The rows of a file, by table. The batches must be sound Arrow data."""
    tables: dict[str, Rows] = {}
    for batch in read(Piecewise(str(path), size), form, state or State(), options or Options()):
        for name, rows in batch.items():
            rows.validate(full=True)
            tables.setdefault(name, []).extend(rows.to_pylist())
    return tables


def faults_of(
    path: Path | str, form: str = "conllu", *, size: int = CHUNK_BYTES, options: Options | None = None
) -> list[Diagnostic]:
    """The faults for which a file is refused."""
    with pytest.raises(InvalidInput) as caught:
        read_rows(path, form, size=size, options=options)
    return list(caught.value.faults)


def columns(rows: Rows) -> dict[str, list[Any]]:
    """The values of each column, from top to bottom."""
    return {name: [row[name] for row in rows] for name in rows[0]}
