"""Functions of Arrow and NumPy, without the modules that these import at the first call.

Methods of Arrow such as `cast` and `unique` import pyarrow.compute, which makes a Python function of every one of
Arrow's; np.unique imports np.ma. Small inputs are read in less time than that takes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

try:
    from pyarrow._compute import CastOptions, DictionaryEncodeOptions, call_function
except ImportError:  # a release of pyarrow that has them elsewhere
    from pyarrow.compute import CastOptions, DictionaryEncodeOptions, call_function


class _Compute:
    """pyarrow.compute, imported with the first function that is used."""

    def __getattr__(self, name: str) -> Any:
        import pyarrow.compute

        return getattr(pyarrow.compute, name)


compute: Any = _Compute()
"""All functions of Arrow, for modules that few commands run."""


def cast(values: pa.Array | pa.ChunkedArray, kind: pa.DataType) -> Any:
    """Values as another type, as the method of Arrow. Raises pa.ArrowInvalid."""
    return call_function("cast", [values], CastOptions.safe(kind))


def call(function: str, *values: Any) -> Any:
    """What a function of Arrow returns with its usual options, such as `drop_null`. Raises pa.ArrowException."""
    return call_function(function, list(values))


def encode(values: pa.Array) -> pa.DictionaryArray:
    """Values as numbers of distinct ones, of which NULL is one."""
    return call_function("dictionary_encode", [values], DictionaryEncodeOptions("encode"))


def distinct(values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The distinct values of an array, sorted, as np.unique returns them."""
    ordered = np.sort(values)
    first: npt.NDArray[np.bool_] = np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
    return np.asarray(ordered[first])
