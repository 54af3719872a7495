"""All kernels compiled at once, for images and clusters: no room above this one calls any itself."""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from treesql import readers
from treesql.errors import TreesqlWarning, UsageError
from treesql.kernels import kernel_cache
from treesql.kernels.sampling.resampling import add_subset_sums, count_draws
from treesql.lattices import files, nbest
from treesql.runtime import atomic_files
from treesql.storage import precompiling

MEASURES = ("wer", "per", "ter", "bleu", "chrf")
"""Measures of oracles of n-best lists, each with kernels of its own."""


class CompiledKernels(NamedTuple):
    """Where compiled kernels are kept: the folder, the number of its entries and their bytes."""

    folder: str
    entries: int
    bytes: int


def compile() -> CompiledKernels:
    """Compile all kernels into the cache, in as many processes as there are cores; return where it is.

    An entry is kept per content of a kernel, versions of Python, numba and NumPy, and kind of processor, in the folder
    of the user's caches, or in that of the environment variable NUMBA_CACHE_DIR. Functions in `when_compiling` are
    called with the progress. Raises UsageError where that folder cannot be written.
    """
    _check_place(kernel_cache.cache_folder())
    precompiling.compile_tasks([*_OTHERS, *precompiling.all_tasks()], whole=True, worker=__name__)
    return CompiledKernels(str(kernel_cache.cache_folder()), *kernel_cache.size())


def _check_place(folder: Path) -> None:
    """Raise UsageError where nothing can be kept in a folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = atomic_files.system_message(error)
        hint = "set NUMBA_CACHE_DIR to a folder that can be written"
        raise UsageError(f"{folder}: compiled kernels cannot be kept here: {reason}; {hint}") from None


def _draw() -> None:
    """Call what resampling calls from millions of draws on, with arrays of its types."""
    for precision in (np.float32, np.float64):
        count_draws(np.zeros((1, 2), np.uint32), 1, np.zeros((1, 1), precision))
    add_subset_sums(np.zeros((1, 256), np.int64), np.zeros((1, 2), np.uint8), np.zeros(2, np.int64))


def _read_nbest(measure: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        reference = str(_write_reference(folder))
        nbest.oracle(readers.samples()["nbest"][0], reference=reference, measure=measure, weights="1")


def _prune(greedy: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files.prune(readers.samples()["plf"][0], reference=str(_write_reference(folder)), greedy=greedy)


def _tune() -> None:
    with tempfile.TemporaryDirectory() as folder:
        lattice = Path(folder) / "lattice.plf"
        lattice.write_text("((('the',-1.0,1),('a',-0.5,1),),(('cat',-0.1,1),),)\n", "utf-8")
        files.tune(str(lattice), reference=str(_write_reference(folder)), iterations=1)


def _write_reference(folder: str) -> Path:
    path = Path(folder) / "reference.txt"
    path.write_text("the cat\n", "utf-8")
    return path


_OTHERS: dict[str, Callable[[], object]] = {
    "draw": _draw,
    "prune": partial(_prune, False),
    "prune_greedily": partial(_prune, True),
    "tune": _tune,
    **{f"nbest_{measure}": partial(_read_nbest, measure) for measure in MEASURES},
}
"""Tasks with the kernels that neither SQL functions nor readers have."""


if __name__ == "__main__":
    warnings.simplefilter("ignore", TreesqlWarning)
    precompiling.work(bool(sys.argv[1:]), _OTHERS)
