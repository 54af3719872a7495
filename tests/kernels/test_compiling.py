"""How kernels are compiled, and by how many processes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from treesql import kernels
from treesql.kernels import compiling

MODULE = """
import sys
import numpy as np
from treesql.kernels.compiling import compiled


@compiled
def total(values):
    found = values[0]
    for value in values[1:]:
        found += value
    return found


if __name__ == "__main__":
    import other  # the module under its own name, whose cache all processes share

    print(other.total(np.arange(5).astype(sys.argv[1])), len(other.total.stats.cache_hits))
"""
TYPES = ("int8", "int16", "int32", "int64", "float32", "float64")


def run_processes(folder: Path) -> list[list[str]]:
    """The sum that each of several processes at once has found, and the number of its hits in the cache."""
    (folder / "other.py").write_text(MODULE)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": str(folder)}
    running = [
        subprocess.Popen([sys.executable, "other.py", kind], cwd=folder, env=environment, stdout=subprocess.PIPE)
        for kind in TYPES
    ]
    return [process.communicate()[0].decode().split() for process in running]


@pytest.mark.slow
def test_processes_fill_one_cache(tmp_path: Path) -> None:
    """numba alone leaves signatures out that two processes store at once."""
    found = run_processes(tmp_path)
    assert [float(total) for total, _ in found] == [10] * len(TYPES)
    assert [(float(total), hits) for total, hits in run_processes(tmp_path)] == [(10, "1")] * len(TYPES)


def test_the_first_compilation_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By the processes that compile what is pending, once; where nothing is, by this one."""
    told: list[tuple[int, int]] = []
    monkeypatch.setattr(kernels, "when_compiling", [lambda done, n: told.append((done, n))])
    monkeypatch.setattr(kernels.Together, "pending", lambda: kernels.tell(0, 3))
    monkeypatch.setattr(kernels.Together, "told", False)
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))

    @compiling.compiled
    def plus_one(number: float) -> float:
        return number + 1

    assert told == []
    assert plus_one(1) == 2
    assert plus_one(2.5) == 3.5
    assert told == [(0, 3)]
    kernels.Together.told = False
    assert plus_one(np.float32(1)) == 2
    assert plus_one(np.int8(1)) == 2
    assert told == [(0, 3), (0, 0)]


def test_processes_that_compile_wait_for_no_thread(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """While they compile, no other thread of this process holds the lock of a function that they may need."""
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))
    locked: list[str] = []
    usual = compiling._Cache._set_lock

    def set_lock(cache: compiling._Cache, held: bool) -> None:
        usual(cache, held)
        (locked.append if held else locked.remove)(threading.current_thread().name)

    monkeypatch.setattr(compiling._Cache, "_set_lock", set_lock)

    @compiling.compiled
    def plus_two(number: float) -> float:
        return number + 2

    @compiling.compiled
    def plus_three(number: float) -> float:
        return number + 3

    other = threading.Thread(target=plus_three, args=(1,), name="other")
    held: list[str] = []

    def compile_together() -> None:
        other.start()
        other.join(0.3)
        held.extend(locked)

    monkeypatch.setattr(kernels.Together, "pending", compile_together)
    assert plus_two(1) == 3
    other.join()
    assert held == locked == []
    assert plus_three(1) == 4
