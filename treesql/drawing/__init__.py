"""Drawings: charts, bars and trees, as SVG, PNG and PDF, and as text for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treesql.runtime import lazy_names

if TYPE_CHECKING:
    from treesql.drawing.constituents import PhraseTree as PhraseTree
    from treesql.drawing.dependencies import Tree as Tree
    from treesql.drawing.grids import AlignmentGrid as AlignmentGrid
    from treesql.drawing.pairs import Link as Link
    from treesql.drawing.pairs import TreePair as TreePair
    from treesql.drawing.pictures import check_format as check_format
    from treesql.drawing.pictures import pdf as pdf
    from treesql.drawing.pictures import png as png
    from treesql.drawing.pictures import write as write
else:
    _NAMES = {
        "treesql.drawing.constituents": ("PhraseTree",),
        "treesql.drawing.dependencies": ("Tree",),
        "treesql.drawing.grids": ("AlignmentGrid",),
        "treesql.drawing.pairs": ("Link", "TreePair"),
        "treesql.drawing.pictures": ("check_format", "pdf", "png", "write"),
    }
    __getattr__, __dir__ = lazy_names(__name__, _NAMES)
