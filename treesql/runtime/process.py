"""What a program needs that runs treesql as a process of its own, such as the command line: signals, limits, errors.

Modules are imported when a function is called, so that nothing delays the start of the program.
"""

from __future__ import annotations

import atexit
import os
import sys
from typing import NoReturn

from treesql.errors import of_command_line as of_command_line
from treesql.runtime.interrupts import INTERRUPTED as INTERRUPTED
from treesql.runtime.interrupts import SIGNALS as SIGNALS
from treesql.runtime.interrupts import begin_to_end as begin_to_end
from treesql.runtime.interrupts import came_too_late as came_too_late
from treesql.runtime.interrupts import heard as heard
from treesql.runtime.interrupts import listening as listening
from treesql.runtime.steps import Steps as Steps
from treesql.runtime.steps import now as now
from treesql.runtime.steps import when_done as when_done
from treesql.runtime.steps import working as working


def limit(*, seconds: float | None = None, memory: str | int | None = None, interrupted: bool = False) -> None:
    """End this process, with one line and exit code 2, after some seconds or once it uses too much memory.

    memory: bytes, or a size such as `500MB`. interrupted: whether statements have the same limit of time, and are
    given the time to report why they take so long. `unlimit` lifts the limits. Raises UsageError.
    """
    from treesql.runtime import limits

    size = None if memory is None else limits.parse_size(memory)
    limits.limit_process(seconds=seconds, memory=size, grace=limits.GRACE if interrupted else 0.0)


def unlimit() -> None:
    """Lift the limits of this process."""
    from treesql.runtime import limits

    limits.unlimit_process()


def use_one_thread_for_algebra() -> None:
    """Keep NumPy, which is not imported yet, from starting threads for linear algebra, which nothing here needs.

    They take a fifteenth of a second of processor time in each process. Variables of the environment that are set stay.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


class _WithoutPandas:
    """Finds no pandas until PySpark is there, whose client of Spark Connect needs it."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Raise ModuleNotFoundError for pandas; leave all others to the next finder."""
        if name == "pandas" and "pyspark" not in sys.modules:
            raise ModuleNotFoundError("this process leaves pandas out", name=name)


def leave_pandas_out() -> None:
    """Keep Arrow from importing pandas, which it does with its first array where pandas is installed.

    That takes a fifth of a second of processor time in each process. For the rest of the process Arrow makes no data
    frames of pandas.
    """
    sys.meta_path.insert(0, _WithoutPandas())


_exit_codes: list[int] = []
"""The exit code that `end` was given last."""


def end_without_teardown() -> None:
    """Have this process end after all that is registered later for its end, once `end` has said with which code.

    Taking down the interpreter and its libraries takes a tenth of the processor time of a small command. What was
    registered before is left out: call this first, in a process that does nothing else.
    """
    atexit.register(_end)


def end(code: int) -> NoReturn:
    """End this process as `sys.exit` does."""
    _exit_codes[:] = [code]
    sys.exit(code)


def _end() -> None:
    """End the process, unless it ends by an error, or what was written to its streams cannot be sent."""
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        return  # which the interpreter reports
    if _exit_codes and getattr(sys, "last_value", None) is None:  # no error since
        os._exit(_exit_codes[0])


def check_size(text: str | int) -> int:
    """Return the number of bytes of a size: `500MB`, `2GB`, `1.5GiB`, or a plain number. Raises UsageError."""
    from treesql.runtime import limits

    return limits.parse_size(text)


def memory_is_short() -> bool:
    """Whether this process has a limit of memory and uses more than three quarters of it."""
    from treesql.runtime import limits

    return limits.memory_is_short()


def memory_in_use(process: int) -> int:
    """Bytes of memory of a process; 0 where that is not known."""
    from treesql.runtime import limits

    return limits.memory_in_use(process)


def as_treesql_error(error: BaseException) -> BaseException | None:
    """Return an error of another library as a TreesqlError, or KeyboardInterrupt where it reports one.

    None for errors that bad input does not explain: a bug of treesql.
    """
    from treesql.runtime import failures

    return failures.as_treesql_error(error)


def was_interrupted(error: BaseException) -> bool:
    """Return whether an error reports Ctrl-C, as DuckDB and numba do in errors of their own."""
    from treesql.runtime import failures

    return failures.was_interrupted(error)
