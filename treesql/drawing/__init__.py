"""Drawings: charts, bars and trees, as SVG and as text for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treesql.runtime.lazy import lazy_names

if TYPE_CHECKING:
    from treesql.drawing import constituents as constituents
    from treesql.drawing import dependencies as dependencies
    from treesql.drawing import pairs as pairs
else:
    _MODULES = {name: f"{__name__}.{name}" for name in ("constituents", "dependencies", "pairs")}
    __getattr__, __dir__ = lazy_names(__name__, {}, _MODULES)
