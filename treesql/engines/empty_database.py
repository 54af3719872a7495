"""An empty database of the catalogue, kept between processes: parsing the SQL of all its macros takes half a second.

It is kept where Python keeps compiled modules, in `__pycache__` beside this module, if that can be written.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from contextlib import suppress
from pathlib import Path

import duckdb

from treesql import catalog
from treesql._version import __version__
from treesql.errors import UsageError
from treesql.runtime import atomic_files

_DIGITS = 16
"""Number of digits of digests in the name of the file that is kept."""


def copy_empty_database(path: Path) -> None:
    """Make a missing file a copy of the database that is kept, if there is one and its bytes are those written.

    A log beside the missing file is of a database that is gone; DuckDB removes it where it makes the file itself.
    """
    kept = next(iter(sorted(_folder().glob(f"{_prefix()}*.duckdb"))), None)
    if kept is None or os.path.lexists(path) or os.path.lexists(f"{path}.wal"):
        return
    with suppress(OSError, UsageError):  # DuckDB makes the file then, or says why not
        if kept.stem == _prefix() + _digest(kept):
            with atomic_files.write_whole(path, replace=False, final=False) as made:
                shutil.copyfile(kept, made)


def keep_empty_database(path: Path) -> None:
    """Keep a copy of a database without rows, instead of those of other catalogues. Its log must be empty."""
    with suppress(OSError, UsageError):
        folder = _folder()
        folder.mkdir(exist_ok=True)
        for other in folder.glob("empty-*.duckdb"):
            other.unlink(missing_ok=True)
        kept = folder / f"{_prefix()}{_digest(path)}.duckdb"
        with atomic_files.write_whole(kept, final=False) as made:
            shutil.copyfile(path, made)


def _folder() -> Path:
    return Path(__file__).parent / "__pycache__"


def _prefix() -> str:
    """The beginning of the file's name: whatever the database depends on."""
    parts = (catalog.digest(), __version__, duckdb.__version__)
    return f"empty-{hashlib.sha256(' '.join(parts).encode()).hexdigest()[:_DIGITS]}-"


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:_DIGITS]
