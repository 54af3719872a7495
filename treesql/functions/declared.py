"""What a SQL function is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa


@dataclass(frozen=True)
class Function:
    """A scalar SQL function: its DuckDB types, and what it does with Arrow arrays of one length.

    gives_nulls: whether it may return NULL, and is called where an argument is NULL; otherwise NULL makes NULL.
    """

    name: str
    doc: str
    parameters: tuple[tuple[str, str], ...]
    returns: str
    call: Callable[..., pa.Array]
    gives_nulls: bool = False
