"""SQL for treebanks: files become tables, metrics are queries, and results are tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treesql._version import __version__ as __version__
from treesql.errors import TreesqlError, TreesqlWarning

if TYPE_CHECKING:
    from treesql.database import Database, connect
    from treesql.results.result import Result

__all__ = ["Database", "Result", "TreesqlError", "TreesqlWarning", "connect"]

_MODULES = {"Database": "treesql.database", "connect": "treesql.database", "Result": "treesql.results.result"}


def __getattr__(name: str) -> object:
    """Import names that need DuckDB at their first use: `import treesql` stays fast."""
    if name in _MODULES:
        import importlib

        return getattr(importlib.import_module(_MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
