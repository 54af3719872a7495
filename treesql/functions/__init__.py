"""Kernels as SQL functions over Arrow batches: a module per family lists its functions as FUNCTIONS."""

from __future__ import annotations

from treesql.functions import alignment, constituency, lattice, parses, paths, translation
from treesql.functions.function import Function as Function

FUNCTIONS = (
    *alignment.FUNCTIONS,
    *constituency.FUNCTIONS,
    *lattice.FUNCTIONS,
    *parses.FUNCTIONS,
    *paths.FUNCTIONS,
    *translation.FUNCTIONS,
)
