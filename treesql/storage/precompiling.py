"""Kernels compiled before they are called, by as many processes as there are cores.

Compilation is bound by Python's lock, so that threads would not help. A task is the name of a SQL function, whose
examples are called, or of a format, whose sample is read and written.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

import duckdb

from treesql import kernels, readers
from treesql.engines.duckdb import MEMORY, install_functions
from treesql.functions import FUNCTIONS, Function
from treesql.readers import Options
from treesql.runtime.threads import n_cores
from treesql.storage import in_memory
from treesql.storage.loading import CorpusFiles

Tell = Callable[[int, int], object]
"""Called with the number of tasks that are done and of all."""

_RECORD = 64
"""Bytes of the name of a task in the pipe from which processes take tasks. A pipe hands out so few bytes at once, and
all of them together hold 64 kB."""

# Tasks that take longest, in the order of their times.
_SLOWEST = ("best_bleu_path", "nearest_bag", "compared_brackets", "nearest_path", "quartet_counts")

_done: set[str] = set()
"""Tasks that this process has had done."""


def all_tasks() -> list[str]:
    """Every task: all functions, and all formats with kernels."""
    return _ordered([*(function.name for function in FUNCTIONS), *readers.samples()])


def expect(words: Collection[str] | None, forms: Collection[str] = ()) -> None:
    """Compile together what this process is going to call, once the first of it is not in the cache.

    words: of the SQL that will run (None: any, of which nothing is known); forms: of the files that will be read. Of
    functions, what the first example reaches: what others reach is for data that is rare.
    """
    tasks = [function.name for function in FUNCTIONS if words is not None and function.name in words]
    tasks += [form for form in readers.samples() if form in forms]
    tasks = [name for name in _ordered(tasks) if name not in _done]
    if len(tasks) > 1 and n_cores() > 1:
        kernels.Together.pending = partial(compile_tasks, tasks, kernels.tell)


def compile_tasks(tasks: Sequence[str], tell: Tell, *, whole: bool = False) -> None:
    """Compile what tasks need, in processes that end if this one is interrupted. tell: told of every task done.

    whole: all examples of functions. A task that fails is left to the process that needs it.
    """
    _done.update(tasks)
    taken, put = os.pipe()
    heard, said = os.pipe()
    with ExitStack() as ended:
        done = ended.enter_context(os.fdopen(heard, "rb", buffering=0))
        with os.fdopen(put, "wb") as queue:
            queue.write(b"".join(task.encode().ljust(_RECORD) for task in tasks))
        # -P: modules of the folder that the user is in are not those that are meant.
        command = [sys.executable, "-P", "-m", "treesql.storage.precompiling", *(["whole"] if whole else [])]
        with os.fdopen(taken, "rb") as queue_of_all, os.fdopen(said, "wb") as told, suppress(OSError):
            for _ in range(min(n_cores(), len(tasks))):
                worker = subprocess.Popen(command, stdin=queue_of_all, stdout=told, stderr=subprocess.DEVNULL)
                ended.callback(worker.wait)
                ended.callback(worker.kill)
        tell(0, len(tasks))
        for number in range(len(tasks)):
            if not done.read(1):  # all processes have ended
                break
            tell(number + 1, len(tasks))


def _work(n_examples: int | None) -> None:
    """Do tasks of the pipe at standard input until it is empty, and write a byte for each."""
    by_name = {function.name: function for function in FUNCTIONS}
    while record := os.read(0, _RECORD):
        name = record.decode().strip()
        with suppress(Exception):  # which the process that needs it will meet as well
            if name in by_name:
                _call_examples(by_name[name], n_examples)
            else:
                _read_sample(name)
        os.write(1, b".")


def _call_examples(function: Function, n: int | None) -> None:
    """Call a function with the first n of its examples, None for all."""
    with duckdb.connect(MEMORY) as connection:
        install_functions(connection, {function.name})
        types = [kind for _, kind in function.parameters]
        for example in function.examples[:n]:
            given = ", ".join(f"CAST({value} AS {kind})" for value, kind in zip(example, types, strict=True))
            connection.execute(f"SELECT {function.name}({given})").fetchall()


def _read_sample(form: str) -> None:
    """Read the sample of a format, and write it where the format is written."""
    from treesql import writers
    from treesql.storage import exporting

    files = CorpusFiles((readers.samples()[form],), form, form)
    engine, _ = in_memory.load_into_memory([files], Options())
    with engine, tempfile.TemporaryDirectory() as folder:
        if form in writers.formats():
            exporting.write(engine, form, Path(folder) / form, form)


def _ordered(tasks: Collection[str]) -> list[str]:
    """Those that take longest first, so that no process is left alone with one at the end."""
    return [*(name for name in _SLOWEST if name in tasks), *(name for name in tasks if name not in _SLOWEST)]


if __name__ == "__main__":
    _work(None if sys.argv[1:] else 1)
