"""Significance: tests, bootstrap intervals, and comparisons of systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treesql.runtime import lazy_names

if TYPE_CHECKING:
    from treesql.significance import compare as compare
    from treesql.significance import correspondence as correspondence
    from treesql.significance import counted_metrics as counted_metrics
    from treesql.significance import intervals as intervals
else:  # imported when they are first used: scores without intervals need none of them
    _MODULES = {name: f"{__name__}.{name}" for name in ("compare", "correspondence", "counted_metrics", "intervals")}
    __getattr__, __dir__ = lazy_names(__name__, {}, _MODULES)
