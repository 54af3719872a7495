"""Drawings: charts, bars and trees, as SVG, PNG and PDF, and as text for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treesql.runtime import lazy_names

if TYPE_CHECKING:
    from treesql.drawing import constituents as constituents
    from treesql.drawing import dependencies as dependencies
    from treesql.drawing import grids as grids
    from treesql.drawing import pairs as pairs
    from treesql.drawing.pictures import check_format as check_format
    from treesql.drawing.pictures import pdf as pdf
    from treesql.drawing.pictures import png as png
    from treesql.drawing.pictures import write as write
else:
    _MODULES = {name: f"{__name__}.{name}" for name in ("constituents", "dependencies", "grids", "pairs")}
    _NAMES = {"treesql.drawing.pictures": ("check_format", "pdf", "png", "write")}
    __getattr__, __dir__ = lazy_names(__name__, _NAMES, _MODULES)
