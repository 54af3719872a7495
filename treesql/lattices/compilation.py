"""All kernels compiled at once, for images and clusters: no room above this one calls any itself."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

from treesql import kernels, readers
from treesql.errors import TreesqlWarning
from treesql.lattices import files, nbest
from treesql.significance.own_counts import compare_counts
from treesql.storage import precompiling


def compile() -> None:
    """Compile all kernels into the cache, in as many processes as there are cores.

    What is compiled is kept per version of treesql, Python and numba, and per kind of processor, in the folder of
    treesql, or in that of the environment variable NUMBA_CACHE_DIR. Functions in `when_compiling` are called with the
    number of tasks done.
    """
    precompiling.compile_tasks(precompiling.all_tasks(), kernels.tell, whole=True)
    _call_others()


def _call_others() -> None:
    """Call the kernels that neither SQL functions nor readers have."""
    compare_counts({"a": {"x": [1, 0, 1]}, "b": {"x": [0, 1, 0]}}, {"mean": "avg(x)"}, runs=2)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", TreesqlWarning)
        reference = Path(folder) / "reference.txt"
        reference.write_text("the cat\n", "utf-8")
        for measure in ("wer", "per", "ter", "bleu", "chrf"):
            nbest.oracle(readers.samples()["nbest"], reference=str(reference), measure=measure, weights="1")
        for greedy in (False, True):
            files.prune(readers.samples()["plf"], reference=str(reference), greedy=greedy)
