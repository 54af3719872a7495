"""The declaration of a SQL function."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from inspect import Parameter, Signature

import pyarrow as pa

from treesql.functions.arrays import InvalidRow
from treesql.runtime.threads import free_threads, run_in_threads

_OF_KERNEL = re.compile(r"(?:lattice|pair|path|tree) (\d+) of the batch, counted from 0: (.*)", re.DOTALL)
"""How kernels name the row of a fault that they find."""

MIN_SHARED_ROWS = 256
"""Minimum number of rows of a thread's share, where several threads share those of a call: DuckDB passes 2,048."""

ROWS_OF_SLOW_CALLS = 128
"""Maximum number of rows of a call of slow functions."""


@dataclass(frozen=True)
class Function:
    """A scalar SQL function: its DuckDB types, and `call`, which takes and returns Arrow arrays of one length.

    examples: arguments in SQL, of calls that between them reach all its kernels, which so are compiled beforehand; the
    first those that usual data reaches.
    gives_nulls: whether it may return NULL, and is called where an argument is NULL; otherwise it returns NULL there.
    rows: maximum number of rows of one call, for slow functions: several threads share the calls for more rows, and
    Ctrl-C interrupts between calls. shared: whether threads that are free share the rows of a call, for functions that
    take several microseconds a row.
    """

    name: str
    doc: str
    parameters: tuple[tuple[str, str], ...]
    returns: str
    call: Callable[..., pa.Array]
    examples: tuple[tuple[str, ...], ...]
    gives_nulls: bool = False
    rows: int | None = None
    shared: bool = False

    @cached_property
    def bounded(self) -> Callable[..., pa.Array]:
        """What DuckDB calls, with a signature, which it reads; one object for the process, as DuckDB keeps none alive.

        Raises ValueError with the name of the function, the row and the fault, in one line; KeyboardInterrupt where a
        kernel was interrupted, for which numba raises SystemError.
        """

        def called(*columns: pa.ChunkedArray) -> pa.Array:
            n = len(columns[0])
            size = self.rows or max(n, 1)
            if self.shared:
                size = max(-(-n // free_threads()), MIN_SHARED_ROWS)
            starts = range(0, max(n, 1), size)
            parts = run_in_threads([partial(self._piece, columns, at, size) for at in starts])
            return parts[0] if len(parts) == 1 else pa.concat_arrays(parts)

        by_place = [Parameter(name, Parameter.POSITIONAL_ONLY) for name, _ in self.parameters]
        called.__signature__ = Signature(by_place)  # type: ignore[attr-defined]
        return called

    def _piece(self, columns: Sequence[pa.ChunkedArray], first: int, size: int) -> pa.Array:
        """The values of at most `size` rows."""
        n = len(columns[0])
        return self._called([column.slice(first, size) for column in columns] if n > size else columns, first, n)

    def _called(self, columns: Sequence[pa.ChunkedArray], first: int, n: int) -> pa.Array:
        """The values for some of n rows. first: the first one of them, counted from 0."""
        try:
            return self.call(*columns)
        except InvalidRow as error:
            raise ValueError(self._message(error.what, first + error.row, n)) from None
        except (ValueError, LookupError, OverflowError, MemoryError) as error:
            match = _OF_KERNEL.fullmatch(str(error))
            message = self._message(match[2], first + int(match[1]), n) if match else self._message(str(error))
            raise ValueError(message) from None
        except SystemError as error:
            if isinstance(error.__cause__, KeyboardInterrupt):
                raise KeyboardInterrupt from None
            raise

    def _message(self, what: str, row: int | None = None, n: int = 0) -> str:
        """A line that names the function, and the row counted from 1."""
        place = "" if row is None else f", row {row + 1} of {n}"
        return f"{self.name}{place}: {' '.join(what.split()) or 'it takes more memory than there is'}"
