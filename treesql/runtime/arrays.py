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


def cast_rows(rows: pa.Table | pa.RecordBatch, schema: pa.Schema) -> Any:
    """The columns of a schema of rows, as its types. Raises pa.ArrowInvalid."""
    columns = [cast(rows.column(name), kind) for name, kind in zip(schema.names, schema.types, strict=True)]
    return type(rows).from_arrays(columns, schema=schema)


def call(function: str, *values: Any) -> Any:
    """What a function of Arrow returns with its usual options, such as `drop_null`. Raises pa.ArrowException."""
    return call_function(function, list(values))


def encode(values: pa.Array) -> pa.DictionaryArray:
    """Values as numbers of distinct ones, of which NULL is one."""
    return call_function("dictionary_encode", [values], DictionaryEncodeOptions("encode"))


def keep_freed_memory() -> None:
    """Let what arrays of up to 16 MB have taken stay with the process once they are freed, for those that come next.

    glibc gives memory back to the kernel, which clears it again, above a threshold that the largest array that was
    freed sets; other allocators have rules of their own.
    """
    np.empty(1 << 24, dtype=np.uint8)


def distinct(values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The distinct values of an array, sorted, as np.unique returns them."""
    ordered = np.sort(values)
    return np.asarray(ordered[differs_from_previous(ordered)])


def differs_from_previous(values: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Whether each value is another than the one before it, as the first one is: where runs of equal values begin."""
    first: npt.NDArray[np.bool_] = np.append(True, values[1:] != values[:-1])[: len(values)]
    return first


def integers(column: pa.ChunkedArray | pa.Array, absent: int = 0) -> npt.NDArray[np.int64]:
    """A column of integers, another one in place of NULL. From its buffer, as Arrow imports pandas to convert it."""
    if isinstance(column, pa.ChunkedArray):
        pieces = [integers(chunk, absent) for chunk in column.chunks]
        return np.concatenate([np.zeros(0, dtype=np.int64), *pieces])
    size = column.type.bit_width // 8
    buffer = column.buffers()[1] if len(column) else b""
    numbers = np.frombuffer(buffer, f"i{size}", len(column), column.offset * size if len(column) else 0).astype(
        np.int64
    )
    if column.null_count:
        numbers[flags(call("is_null", column))] = absent
    return numbers


def flags(column: pa.ChunkedArray | pa.Array) -> npt.NDArray[np.bool_]:
    """A column of flags, False in place of NULL; as `integers`."""
    return integers(cast(column, pa.int8())) > 0


def array_of(
    values: npt.NDArray[np.int64] | npt.NDArray[np.bool_], absent: npt.NDArray[np.bool_] | None = None
) -> pa.Array:
    """Integers or flags in Arrow, NULL where absent. From their buffer, as Arrow imports pandas to convert them."""
    flags = values.dtype == np.bool_
    packed = np.packbits(values, bitorder="little") if flags else values
    validity = None if absent is None else pa.py_buffer(np.packbits(~absent, bitorder="little"))
    kind = pa.bool_() if flags else pa.int64()
    return pa.Array.from_buffers(kind, len(values), [validity, pa.py_buffer(packed)])
