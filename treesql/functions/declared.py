"""What a SQL function is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

import pyarrow as pa


@dataclass(frozen=True)
class Function:
    """A scalar SQL function: its DuckDB types, and what it does with Arrow arrays of one length.

    gives_nulls: whether it may return NULL, and is called where an argument is NULL; otherwise NULL makes NULL. rows:
    so many are given to it at most in one call, if it takes long; Ctrl-C is heard between calls.
    """

    name: str
    doc: str
    parameters: tuple[tuple[str, str], ...]
    returns: str
    call: Callable[..., pa.Array]
    gives_nulls: bool = False
    rows: int | None = None

    @property
    def bounded(self) -> Callable[..., pa.Array]:
        """What DuckDB calls. Raises KeyboardInterrupt where a kernel was interrupted, which numba tells otherwise."""

        @wraps(self.call)
        def called(*columns: pa.ChunkedArray) -> pa.Array:
            n = len(columns[0])
            try:
                if self.rows is None or n <= self.rows:
                    return self.call(*columns)
                parts = [self.call(*(one.slice(at, self.rows) for one in columns)) for at in range(0, n, self.rows)]
            except SystemError as error:
                if isinstance(error.__cause__, KeyboardInterrupt):
                    raise KeyboardInterrupt from None
                raise
            return pa.concat_arrays(parts)

        return called
