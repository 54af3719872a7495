"""An empty database of the catalogue, kept between processes: parsing the SQL of all its macros takes half a second.

It is kept where Python keeps compiled modules, in `__pycache__` beside this module, if that can be written.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import duckdb

from treesql import catalog
from treesql._version import __version__
from treesql.errors import UsageError
from treesql.runtime import atomic_files

_DIGITS = 16
"""Number of digits of digests in the name of the file that is kept."""


def copy_empty_database(path: Path, make: Callable[[Path], None]) -> None:
    """Make a missing file a copy of the database that is kept, which `make` makes where there is none.

    Only files that no connection has open are read: a process that closes a file loses all its locks of it.
    """
    if os.path.lexists(path):
        return
    with suppress(OSError, UsageError, duckdb.Error):  # DuckDB makes the file then, or says why not
        kept = _find() or _keep(make)
        with atomic_files.write_whole(path, replace=False, final=False) as made:
            shutil.copyfile(kept, made)


def _find() -> Path | None:
    """The database that is kept, if its bytes are those written."""
    named = sorted(_folder().glob(f"{_prefix()}*.duckdb"))
    return next((one for one in named if one.stem == _prefix() + _digest(one)), None)


def _keep(make: Callable[[Path], None]) -> Path:
    """Make a database and keep it, instead of those of other catalogues. Raises OSError, UsageError, duckdb.Error."""
    folder = _folder()
    folder.mkdir(exist_ok=True)
    for other in folder.glob("empty-*.duckdb"):
        other.unlink(missing_ok=True)
    own = folder / f"empty-{os.getpid()}.duckdb"
    with atomic_files.write_whole(own, final=False) as made:
        make(made)
    kept = folder / f"{_prefix()}{_digest(own)}.duckdb"
    os.replace(own, kept)
    return kept


def _folder() -> Path:
    return Path(__file__).parent / "__pycache__"


def _prefix() -> str:
    """The beginning of the file's name: whatever the database depends on."""
    parts = (catalog.digest(), __version__, duckdb.__version__)
    return f"empty-{hashlib.sha256(' '.join(parts).encode()).hexdigest()[:_DIGITS]}-"


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:_DIGITS]
