"""SQL for treebanks: files become tables, metrics are queries, and everything that comes out is again a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treesql._version import __version__ as __version__
from treesql.errors import TreesqlError, TreesqlWarning

if TYPE_CHECKING:
    from treesql.database import Database, connect
    from treesql.results.result import Result

__all__ = ["Database", "Result", "TreesqlError", "TreesqlWarning", "connect"]

_HOMES = {"Database": "treesql.database", "connect": "treesql.database", "Result": "treesql.results.result"}


def __getattr__(name: str) -> object:
    """Import what needs DuckDB only when it is asked for."""
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
