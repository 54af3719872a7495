"""How kernels are compiled."""

from __future__ import annotations

import numba

from treesql import kernels
from treesql.kernels import compiling


def test_the_first_compilation_is_told() -> None:
    told: list[str] = []
    assert compiling.compiled
    kernels.when_compiling.append(lambda: told.append("compiling"))
    plus_one = numba.njit(lambda number: number + 1)  # nothing of it is kept
    assert told == []
    assert (plus_one(1), plus_one(2.5)) == (2, 3.5)
    assert told == ["compiling"]
    assert kernels.when_compiling == []
