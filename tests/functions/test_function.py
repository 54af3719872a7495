"""Functions as they are declared: what they say, rows at a time, interrupts."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from treesql.functions import FUNCTIONS
from treesql.functions.function import Function


def test_every_function_says_what_it_is() -> None:
    names = [function.name for function in FUNCTIONS]
    assert len(set(names)) == len(names) > 5
    assert all(function.doc and function.parameters for function in FUNCTIONS)


def test_slow_functions_take_few_rows_at_a_time() -> None:
    sizes = []

    def doubled(values: pa.ChunkedArray) -> pa.Array:
        sizes.append(len(values))
        return pc.multiply(values.combine_chunks(), 2)

    function = Function("doubled", "twice", (("n", "INTEGER"),), "INTEGER", doubled, rows=3)
    assert function.bounded(pa.chunked_array([[1, 2, 3, 4], [5, 6, 7]])).to_pylist() == [2, 4, 6, 8, 10, 12, 14]
    assert sizes == [3, 3, 1]


@pytest.mark.parametrize("cause", [KeyboardInterrupt(), None])
def test_an_interrupted_kernel(cause: BaseException | None) -> None:
    """numba tells Ctrl-C as a SystemError."""

    def stopped(values: pa.ChunkedArray) -> pa.Array:
        raise SystemError("returned a result with an exception set") from cause

    function = Function("stopped", "never", (("n", "INTEGER"),), "INTEGER", stopped)
    with pytest.raises(KeyboardInterrupt if cause else SystemError):
        function.bounded(pa.chunked_array([[1]]))
