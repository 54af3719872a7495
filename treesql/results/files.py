"""Files that results are written to, and their formats by the endings of their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from treesql.errors import UsageError
from treesql.runtime import atomic_files

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
