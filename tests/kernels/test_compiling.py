"""How kernels are interpreted or compiled, and kept for other processes."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import treesql
from tests import both_ways
from tests.conftest import ROOT
from treesql import kernels
from treesql.errors import UsageError
from treesql.kernels import compiling, kernel_cache
from treesql.kernels.compiling import Kernel, compiled, count_items, inlined, scratch

MODULE = """
import sys
import numpy as np
from treesql.kernels.compiling import compiled

STEP = 1


@compiled
def next_one(value):
    return value + STEP


@compiled
def total(values):
    found = values[0]
    for value in values[1:]:
        found = next_one(found + value) - STEP
    return found


if __name__ == "__main__":
    import other  # the module under its own name, whose entries all processes share
    from treesql.kernels import compiler

    hits = compiler.dispatcher(other.total).stats.cache_hits
    print(other.total(np.arange(5).astype(sys.argv[1])), sum(hits.values()))
"""
TYPES = ("int8", "float64")


class Pair(NamedTuple):
    first: Any
    second: Any


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of kernels whose compiled code is called, which here is the function itself."""
    found: list[str] = []

    def call(kernel: Kernel, *arguments: Any) -> Any:
        found.append(kernel.py_func.__name__)
        return kernel.py_func(*arguments)

    monkeypatch.setattr(Kernel, "call_compiled", call)
    monkeypatch.setattr(Kernel, "__call__", both_ways.usual)
    monkeypatch.setattr(Kernel, "limit", 0.25)
    monkeypatch.setattr(kernel_cache, "was_compiled", lambda name: True)
    monkeypatch.setattr(Kernel, "spent", 0.0)
    return found


@compiled
def shift_digits(text: Any, number: int) -> int:
    for at in range(len(text)):
        number = 10 * number + text[at]
    return number


@compiled
def multiply(one: Any, other: Any) -> Any:
    one[0] = 7
    return one[1] * other[0]


@compiled(wraps=True)
def multiply_wrapping(one: Any, other: Any) -> Any:
    return one[0] * other[0]


@compiled
def divide(one: Any, other: Any) -> Any:
    return one[0] / other[0]


@compiled
def call_others(one: Any) -> Any:
    return multiply_wrapping(one, one)


@compiled
def fill(pair: Any, found: Any) -> None:
    for at in range(len(found)):
        found[at] = pair.first[at] + pair.second[at]


def new_kernel(function: Callable[..., Any], **how: Any) -> Any:
    """A kernel that was never called."""
    return compiled(**how)(lambda *arguments: function(*arguments))


def test_small_integers_are_widened(calls: list[str]) -> None:
    """uint8 would wrap: 10 * 25 + 9 is 259."""
    assert shift_digits(np.array([2, 5, 9], np.uint8), 0) == 259
    assert shift_digits(np.array([9] * 9, np.int16), 0) == 999_999_999
    assert calls == []


def test_written_arrays_have_their_own_types(calls: list[str]) -> None:
    """Those of less than 64 bits, in tuples too; what is too large is cut off as compiled code does."""
    one, other = np.array([250, 1], np.uint8), np.array([10, 2], np.uint8)
    found, narrow = np.zeros(2, np.int64), np.zeros(2, np.int8)
    fill(Pair(one, other), found)
    fill(Pair(one, other), narrow)
    assert found.tolist() == [260, 3]
    assert narrow.tolist() == [4, 3]
    assert narrow.dtype == np.int8
    assert calls == []


@scratch
class Room(NamedTuple):
    small: Any
    text: Any
    large: Any


def test_room_to_work_in_is_of_the_call_alone(calls: list[str]) -> None:
    seen: list[Room] = []

    @compiled
    def fill(values: Any, room: Room) -> int:
        seen.append(room)
        for at in range(len(values)):
            room.small[at] = values[at]
        return int(room.small[: len(values)].sum())

    room = Room(np.zeros(9, np.int8), np.zeros((2, 9), np.uint8), np.zeros(9, np.uint64))
    values = np.array([100, 100], np.int8)
    assert fill(values, room) == 200, "more than 8 bits can hold"
    assert not room.small.any(), "nothing is left for the caller"
    assert [part.dtype for part in seen[0]] == [np.int64, np.int64, np.uint64]
    assert [part.shape for part in seen[0]] == [part.shape for part in room]
    assert (count_items(values, room), calls) == (2, [])


def test_results_are_of_python(calls: list[str]) -> None:
    assert type(shift_digits(np.array([1], np.uint8), 0)) is int
    assert type(divide(np.array([1]), np.array([2]))) is float


def test_an_overflow_is_left_to_the_compiled_kernel(calls: list[str]) -> None:
    """With the arguments as they were."""
    large = np.array([1, 1 << 62])
    seen = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Kernel, "call_compiled", lambda kernel, one, other: seen.append(one.tolist()))
        multiply(large, np.array([4]))
    assert seen == [[1, 1 << 62]]
    with np.errstate(over="ignore"):
        multiply(large, np.array([4]))
    assert calls == ["multiply"]


def test_a_division_by_zero_and_what_is_no_number_are_left_to_it(calls: list[str]) -> None:
    for one, other in ((1.0, 0.0), (0.0, 0.0), (np.inf, np.inf)):
        with np.errstate(all="ignore"):
            divide(np.array([one]), np.array([other]))
    assert calls == ["divide"] * 3


def test_kernels_that_mean_it_wrap(calls: list[str]) -> None:
    """Called by others that do not, too."""
    large = np.array([1 << 63], np.uint64)
    assert multiply_wrapping(large, np.array([2], np.uint64)) == 0
    assert call_others(np.array([1 << 32], np.uint64)) == 0
    assert calls == []


def test_large_calls_are_compiled(calls: list[str]) -> None:
    """By the size of the arrays, in tuples too, or by a cost; a thread that interprets does not decide anew."""
    assert count_items(np.zeros(3), Pair(np.zeros((2, 2)), (np.zeros(1),)), 5) == 8
    for n, compilations in ((1000, 0), (1_000_000, 1)):
        linear = new_kernel(lambda values: len(values))
        assert linear(np.zeros(n)) == n
        assert len(calls) == compilations
    for n, compilations in ((10, 1), (100, 2)):
        cubic = new_kernel(lambda values: len(values), cost=lambda values: len(values) ** 3)
        assert cubic(np.zeros(n)) == n
        assert len(calls) == compilations


def test_seconds_add_up(calls: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of all kernels: what is interpreted again and again is compiled at last."""
    seconds = iter(range(0, 1000))
    monkeypatch.setattr(compiling.time, "thread_time", lambda: next(seconds) / 10)
    kernels = [new_kernel(lambda values: None) for _ in range(2)]
    for kernel in kernels:
        kernel(np.zeros(1))  # 0.1 s, and likely as much
    assert calls == []
    kernels[0](np.zeros(1))
    assert calls == ["<lambda>"]


def test_kernels_that_were_never_compiled_are_interpreted_longer(
    calls: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(Kernel, "call_compiled", lambda kernel, values: calls.append("compiled"))
    monkeypatch.setattr(Kernel, "__call__", both_ways.usual)
    monkeypatch.setattr(Kernel, "limit", 0.25)
    monkeypatch.setattr(Kernel, "spent", 0.0)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    new_kernel(lambda values: None)(np.zeros(500_000))  # likely a second
    assert calls == []
    new_kernel(lambda values: None)(np.zeros(1_000_000))
    assert calls == ["compiled"]
    kernel = new_kernel(lambda values: None)
    folder = kernel_cache.cache_folder()
    assert folder == tmp_path / "treesql-kernels"
    folder.mkdir()
    (folder / f"{kernel.name}-0123{kernel_cache.CACHE_SUFFIX}").touch()
    kernel_cache._names_in_cache.cache_clear()
    kernel(np.zeros(500_000))
    assert calls == ["compiled"] * 2


def test_kernels_are_loaded_once_the_compiler_is_there(calls: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    @compiled
    def total(values: Any) -> Any:
        return values.sum()

    monkeypatch.setattr(Kernel, "limit", 5.0)
    monkeypatch.setattr(Kernel, "spent", 0.0)
    monkeypatch.setattr(Kernel, "has_compiler", True)
    monkeypatch.setattr(kernel_cache, "was_compiled", lambda name: False)
    total(np.arange(9000))
    assert calls == []
    monkeypatch.setattr(kernel_cache, "was_compiled", lambda name: True)
    total(np.arange(9))
    assert calls == []
    total(np.arange(9000))
    assert calls == ["total"]


def test_the_limit_is_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(compiling.INTERPRETED_SECONDS, "a lot")
    with pytest.raises(UsageError, match="TREESQL_INTERPRETED_SECONDS is 'a lot'; it is a number"):
        compiling.read_limit()
    monkeypatch.setenv(compiling.INTERPRETED_SECONDS, "inf")
    assert compiling.read_limit() == float("inf")


def test_small_inputs_need_no_compiler() -> None:
    """Kinds whose scores call kernels, on the fixtures: what counts is what is imported."""
    code = """
import sys, treesql
treesql.score("constituency", gold="fixtures/gold.mrg", systems=["fixtures/test.mrg"])
treesql.score("lattice", lattice="fixtures/lattices.plf", reference="fixtures/lattices.txt")
treesql.score("newick", gold="fixtures/trees.nwk", systems=["fixtures/trees.nwk"])
print(sorted({"numba", "llvmlite"} & set(sys.modules)))
"""
    environment = {**os.environ, compiling.INTERPRETED_SECONDS: "inf"}
    command = [sys.executable, "-W", "ignore", "-c", code]
    assert subprocess.run(command, capture_output=True, check=True, env=environment, cwd=ROOT).stdout == b"[]\n"


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[kernels.Progress]:
    """What is reported of compilations, after hundredths of seconds."""
    found: list[kernels.Progress] = []
    monkeypatch.setattr(kernels, "when_compiling", [found.append])
    monkeypatch.setattr(kernels, "FIRST_REPORT", 0.05)
    monkeypatch.setattr(kernels, "REPORT_INTERVAL", 0.01)
    return found


def test_a_compilation_is_reported(told: list[kernels.Progress]) -> None:
    """From a while on, with what is left by what is done, and at the end; one within another is not."""
    with kernels.Compilation(4, 8.0, 2) as compilation:
        while not told:
            time.sleep(0.01)
        assert told[0][:2] == (0, 4)
        assert told[0].cores == 2
        assert 7 < told[0].left < 8
        with kernels.Compilation(9, 1.0, 1):
            time.sleep(0.1)
        compilation.done = 2
        while told[-1].done != 2:
            time.sleep(0.01)
        assert told[-1].left == pytest.approx(told[-1].seconds)
    assert told[-1][:2] == (4, 4)
    assert told[-1].left == 0
    assert {progress.n for progress in told} == {4}


def test_a_short_compilation_is_not_reported(told: list[kernels.Progress]) -> None:
    with kernels.Compilation(1, 0.0, 1):
        pass
    assert told == []


def run_processes(folder: Path, *types: str, source: str = MODULE, cache: Path | None = None) -> list[list[str]]:
    """The sum that each of several processes at once has found, and the number of its hits in the cache."""
    folder.mkdir(exist_ok=True)
    (folder / "other.py").write_text(source)
    where = {"NUMBA_CACHE_DIR": str(cache or folder / "cache"), "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}
    environment = {**os.environ, **where, compiling.INTERPRETED_SECONDS: "0"}
    running = [
        subprocess.Popen([sys.executable, "other.py", kind], cwd=folder, env=environment, stdout=subprocess.PIPE)
        for kind in types
    ]
    return [process.communicate()[0].decode().split() for process in running]


@pytest.mark.compiled
def test_processes_fill_one_cache(tmp_path: Path) -> None:
    found = run_processes(tmp_path, *TYPES)
    assert [float(total) for total, _ in found] == [10] * len(TYPES)
    assert [(float(total), hits) for total, hits in run_processes(tmp_path, *TYPES)] == [(10, "1")] * len(TYPES)


@pytest.mark.compiled
def test_entries_are_found_by_content(tmp_path: Path) -> None:
    """Not by the paths and times of sources; a change of a constant or of a kernel that is called counts."""
    cache = tmp_path / "cache"
    assert run_processes(tmp_path / "a", "int64", cache=cache) == [["10", "0"]]
    assert run_processes(tmp_path / "b", "int64", cache=cache) == [["10", "1"]]
    commented = MODULE.replace("@compiled\ndef total", "# a comment\n\n\n@compiled\ndef total")
    assert run_processes(tmp_path / "b", "int64", cache=cache, source=commented) == [["10", "1"]]
    for changed in (MODULE.replace("STEP = 1", "STEP = 2"), MODULE.replace("value + STEP", "value + 0 + STEP")):
        assert run_processes(tmp_path / "b", "int64", cache=cache, source=changed) == [["10", "0"]]


@pytest.mark.compiled
def test_a_kernel_is_compiled_after_another_was_loaded(tmp_path: Path) -> None:
    """To load one imports none of the implementations that compilers read; the next one, which calls it, needs them."""
    assert run_processes(tmp_path, "int64") == [["10", "0"]]
    later = """
    import sys
    before = "numba.np.linalg" in sys.modules

    @compiled
    def sorted_total(values):
        return other.total(np.sort(values)) + 1

    print(before, sorted_total(np.arange(5)), "numba.np.linalg" in sys.modules)
"""
    assert run_processes(tmp_path, "int64", source=MODULE + later) == [["10", "1", "False", "11", "True"]]


def entries(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.kernel"))


@pytest.mark.compiled
def test_entries_are_private_and_checked(tmp_path: Path) -> None:
    """What is damaged, or what somebody else could have written, is compiled again, and nothing is said."""
    run_processes(tmp_path, "int64")
    paths = entries(tmp_path)
    assert [path.name.split("-")[0] for path in paths] == ["other.next_one", "other.total"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths} == {0o644}
    folder = paths[0].parent
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
    whole = [path.read_bytes() for path in paths]
    for path in paths:
        path.write_bytes(whole[0][:-1])
    assert run_processes(tmp_path, "int64") == [["10", "0"]]
    assert [len(path.read_bytes()) for path in paths] == list(map(len, whole))
    assert all(kernel_cache.read_entry(path) for path in paths)
    for content in (whole[0][:-1], b""):
        paths[0].write_bytes(content)
        assert kernel_cache.read_entry(paths[0]) is None
    paths[0].write_bytes(whole[0])
    paths[0].chmod(0o620)
    assert kernel_cache.read_entry(paths[0]) is None
    paths[0].chmod(0o644)
    folder.chmod(0o702)
    assert kernel_cache.read_entry(paths[0]) is None
    assert run_processes(tmp_path, "int64") == [["10", "0"]]
    folder.chmod(0o755)
    assert run_processes(tmp_path, "int64") == [["10", "1"]]
    if os.geteuid() == 0:
        os.chown(paths[0], 65534, 65534)
        assert kernel_cache.read_entry(paths[0]) is None


FIELDS = """
import sys
import numpy as np
from typing import NamedTuple
from treesql.kernels.compiling import compiled


class Graph(NamedTuple):
    FIRST: np.ndarray
    SECOND: np.ndarray


@compiled
def first(graph):
    return graph.a[0]


if __name__ == "__main__":
    import other
    from treesql.kernels import compiler

    found = other.first(other.Graph(**{"a": np.array([1]), "b": np.array([2])}))
    print(found, sum(compiler.dispatcher(other.first).stats.cache_hits.values()))
"""


@pytest.mark.thorough
def test_fields_of_named_tuples_are_part_of_the_key(tmp_path: Path) -> None:
    """numba's own names of types have only the types of the fields."""
    for names in (("a", "b"), ("b", "a")):
        source = FIELDS.replace("FIRST", names[0]).replace("SECOND", names[1])
        assert run_processes(tmp_path, "int64", source=source) == [["1", "0"]]
    assert run_processes(tmp_path, "int64", source=source) == [["1", "1"]]


@pytest.mark.compiled
def test_the_cache_of_the_user_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    kernel_cache.write_entry(kernel_cache.cache_folder() / "a.kernel", b"content")
    assert kernel_cache.read_entry(tmp_path / "treesql" / "kernels" / "a.kernel") == b"content"
    assert stat.S_IMODE((tmp_path / "treesql" / "kernels").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "treesql" / "kernels" / "a.kernel").stat().st_mode) == 0o600


def test_the_rate_of_tiny_calls_is_no_measure(calls: list[str]) -> None:
    kernel = new_kernel(lambda values: None)
    for n in (1, 1, 1, 8_000_000):
        kernel(np.zeros(n))
    assert calls == ["<lambda>"]


@pytest.mark.compiled
def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "cache"
    blocked.write_text("a file")
    assert run_processes(tmp_path, "int64") == [["10", "0"]]


@pytest.mark.compiled
def test_inlined_kernels_and_those_called_are_compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is pending is compiled once, by other processes, before the first kernel that is missing."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    pending: list[str] = []
    monkeypatch.setattr(kernels, "when_missing", [lambda: pending.append("compiled")])

    @inlined
    def twice(value: int) -> int:
        return 2 * value

    @compiled
    def quadruple(value: int) -> int:
        return twice(twice(value))

    assert quadruple.call_compiled(3) == 12  # type: ignore[attr-defined]
    assert quadruple.call_compiled(2.5) == 10  # type: ignore[attr-defined]
    assert pending == ["compiled"]
    assert {path.name.split("-")[0].rpartition(".")[2] for path in entries(tmp_path)} >= {"quadruple"}


def test_nothing_is_compiled_where_nothing_can_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/proc/none")
    with pytest.raises(UsageError, match="/proc/none/treesql-kernels: compiled kernels cannot be kept here"):
        treesql.compile()
