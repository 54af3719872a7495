"""Kernels as SQL functions over Arrow batches: a module per family lists its functions as FUNCTIONS."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import duckdb

from treesql.functions import alignment, constituency, lattice, paths, translation
from treesql.functions.function import Function as Function

FUNCTIONS = (
    *alignment.FUNCTIONS,
    *constituency.FUNCTIONS,
    *lattice.FUNCTIONS,
    *paths.FUNCTIONS,
    *translation.FUNCTIONS,
)


def install(connection: duckdb.DuckDBPyConnection, named: Container[str] | None = None) -> bool:
    """Make functions known to a connection, which must be closed before the process ends: those named, else all.

    Connections of one process to one database share functions. Returns whether another connection had installed some.
    """
    shared = False
    for function in FUNCTIONS:
        if named is not None and function.name not in named:
            continue
        types = [kind for _, kind in function.parameters]
        create: Any = connection.create_function
        nulls = "special" if function.gives_nulls else "default"
        try:
            create(function.name, function.bounded, types, function.returns, type="arrow", null_handling=nulls)
        except duckdb.CatalogException:  # it exists
            shared = True
    return shared
