"""Kernels compiled before they are called, by as many processes as there are cores.

Compilation is bound by Python's lock, so that threads would not help. A task is the name of a SQL function, whose
examples are called, or of a format, whose sample is read and written.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from treesql import kernels, readers
from treesql.engines import connections
from treesql.functions import FUNCTIONS, Function
from treesql.kernels import kernel_cache
from treesql.kernels.compiling import INTERPRETED_SECONDS
from treesql.readers import Options
from treesql.runtime import interrupts
from treesql.runtime.threads import n_cores
from treesql.storage import loading
from treesql.storage.corpus_plans import CorpusFiles

_RECORD = 64
"""Bytes of the name of a task in the pipe from which processes take tasks. A pipe hands out so few bytes at once, and
all of them together hold 64 kB."""

# Tasks that take longest, in the order of their times.
_SLOWEST = ("best_bleu_path", "nearest_bag", "compared_brackets", "nearest_path", "quartet_counts")

LIKELY_SECONDS_OF_TASK = 5.0
"""CPU seconds of a task that was never done."""

_done: set[str] = set()
"""Tasks that this process has had done."""


_workers: list[subprocess.Popen[bytes]] = []
"""Processes that compile now."""


def _end_workers() -> None:
    """End the processes that compile, before this one is ended at once."""
    for process in tuple(_workers):
        process.kill()


interrupts.at_sudden_end(_end_workers)


def all_tasks() -> list[str]:
    """Every task: all functions, and all formats with kernels."""
    return _ordered([*(function.name for function in FUNCTIONS), *readers.samples()])


def compile_expected(words: Collection[str] | None, forms: Collection[str] = ()) -> None:
    """Compile together what this process is going to call, where that is several tasks and there are several cores.

    words: of the SQL that will run (None: any, of which nothing is known); forms: of the files that will be read. Of
    functions, what the first example reaches: what others reach is for data that is rare.
    """
    tasks = [function.name for function in FUNCTIONS if words is not None and function.name in words]
    tasks += [form for form in readers.samples() if form in forms]
    tasks = [name for name in _ordered(tasks) if name not in _done]
    if len(tasks) > 1 and n_cores() > 1:
        compile_tasks(tasks)


def compile_tasks(tasks: Sequence[str], *, whole: bool = False, worker: str = __name__) -> None:
    """Compile what tasks need, in processes that end if this one is interrupted, and report the progress.

    whole: all examples of functions. worker: the module that does tasks, as this one does. A task that fails is left to
    the process that needs it.
    """
    _done.update(tasks)
    cores = min(n_cores(), len(tasks))
    last = kernel_cache.read_times()
    likely = sum(last.get(task, LIKELY_SECONDS_OF_TASK) for task in tasks) / cores
    with ExitStack() as ended:
        compilation = ended.enter_context(kernels.Compilation(len(tasks), likely, cores, "group of kernels"))
        done = ended.enter_context(_run_workers(worker, tasks, cores, whole, ended))
        seconds: dict[str, float] = {}
        for line in done:
            task, taken = line.split()
            seconds[task] = float(taken)
            compilation.done += 1
    if whole:
        kernel_cache.add_times(seconds)


def _run_workers(worker: str, tasks: Sequence[str], n: int, whole: bool, ended: ExitStack):  # type: ignore[no-untyped-def]
    """Start processes that do tasks; return a file with a line for each task that is done: its name and seconds."""
    taken, put = os.pipe()
    heard, said = os.pipe()
    with os.fdopen(put, "wb") as queue:
        queue.write(b"".join(task.encode().ljust(_RECORD) for task in tasks))
    # -P: modules of the folder that the user is in are not those that are meant.
    command = [sys.executable, "-P", "-m", worker, *(["whole"] if whole else [])]
    environment = {**os.environ, INTERPRETED_SECONDS: "0"}
    with os.fdopen(taken, "rb") as queue_of_all, os.fdopen(said, "wb") as told, suppress(OSError):
        for _ in range(n):
            process = subprocess.Popen(
                command, stdin=queue_of_all, stdout=told, stderr=subprocess.DEVNULL, env=environment
            )
            ended.callback(process.wait)
            ended.callback(process.kill)
            _workers.append(process)
            ended.callback(_workers.remove, process)
    return os.fdopen(heard, "r", encoding="ascii")


def work(whole: bool, others: Mapping[str, Callable[[], object]]) -> None:
    """Do tasks of the pipe at standard input until it is empty, and write a line for each.

    others: what does tasks that are neither functions nor formats, by name.
    """
    by_name = {function.name: function for function in FUNCTIONS}
    _done.update(all_tasks())  # this process starts none of its own
    while record := os.read(0, _RECORD):
        name, begin = record.decode().strip(), time.process_time()
        with suppress(Exception):  # which the process that needs it will meet as well
            if name in others:
                others[name]()
            elif name in by_name:
                _call_examples(by_name[name], None if whole else 1)
            else:
                _read_sample(name)
        os.write(1, f"{name} {time.process_time() - begin:.2f}\n".encode("ascii"))


def _call_examples(function: Function, n: int | None) -> None:
    """Call a function with the first n of its examples, None for all."""
    with connections.connect({function.name}) as connection:
        types = [kind for _, kind in function.parameters]
        for example in function.examples[:n]:
            given = ", ".join(f"CAST({value} AS {kind})" for value, kind in zip(example, types, strict=True))
            connection.execute(f"SELECT {function.name}({given})").fetchall()


def _read_sample(form: str) -> None:
    """Read the samples of a format, and write them where the format is written."""
    from treesql import writers
    from treesql.storage import exporting

    for path in readers.samples()[form]:
        engine, _ = loading.load_into_memory([CorpusFiles((path,), form, form)], Options())
        with engine, tempfile.TemporaryDirectory() as folder:
            if form in writers.formats():
                exporting.write(engine, form, Path(folder) / form, form)


def _ordered(tasks: Collection[str]) -> list[str]:
    """Those that take longest first, so that no process is left alone with one at the end."""
    return [*(name for name in _SLOWEST if name in tasks), *(name for name in tasks if name not in _SLOWEST)]


if __name__ == "__main__":
    from treesql.storage import precompiling  # whose state other modules see, unlike that of the main one

    precompiling.work(bool(sys.argv[1:]), {})
