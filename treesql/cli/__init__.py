"""The command line. Every module of this package is a command, imported when it runs.

Commands parse options, call the front door, `treesql`, and print what it returns.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import click

from treesql import Progress, process, when_compiling
from treesql._version import __version__
from treesql.cli._lazy import LazyGroup, discard_output
from treesql.cli._usage import describe_usage
from treesql.errors import NothingFound, QueryError, RequestError, TreesqlWarning

CLOSED = "standard output is closed; send it to a file or a pipe, or to /dev/null"
_ESCAPES = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}
"""How errors, which cite files, show characters that control a terminal."""

SECONDS_WITHOUT_BAR, BAR_WIDTH = 2.0, 30
"""Seconds of a compilation before a terminal shows a bar, and its characters."""

TOO_LATE = "the signal came too late: this was done"


class Commands(LazyGroup):
    """All commands. Warnings of treesql are a line each on standard error."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with warnings.catch_warnings(), process.of_command_line():
            warnings.simplefilter("always", TreesqlWarning)
            warnings.showwarning = _show_warning
            try:
                return super().invoke(ctx)
            except KeyboardInterrupt as error:  # for which click would print an empty line
                raise click.Abort from error


@click.group(cls=Commands, package=__name__, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.version_option(__version__, prog_name="treesql")
def group(debug: bool) -> None:
    """SQL for treebanks: load trees, alignments and lattices into tables, query them, score systems."""


def main(arguments: list[str] | None = None) -> None:
    """Run a command line and exit.

    0: done. 1: a check failed. 2: bad usage or bad input. 128 and a signal's number (130 Ctrl-C, 143 SIGTERM, 129
    SIGHUP): interrupted, and nothing was changed but what standard error reports.
    """
    process.use_one_thread_for_algebra()
    if arguments is None:
        process.leave_pandas_out()
        process.end_without_teardown()
    with process.listening(to_the_end=arguments is None):
        code = _run(sys.argv[1:] if arguments is None else arguments)
    process.end(code)


@process.of_command_line()
def _run(arguments: list[str]) -> int:
    """Run a command line and return its exit code. Errors are reported in one line, in its words."""
    debug = "--debug" in arguments
    try:
        _check_streams(arguments)
        when_compiling[:] = [_CompilationReport.update]
        code = int(group.main(arguments, prog_name="treesql", standalone_mode=False) or 0)
        return code if process.heard() is None else _report_interrupt()
    except SystemExit as end:
        return int(end.code or 0)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        click.echo(describe_usage(error).translate(_ESCAPES), err=True)
        return error.exit_code
    except (Exception, KeyboardInterrupt) as error:
        if isinstance(error, click.Abort) or process.was_interrupted(error) or process.heard() is not None:
            if not process.came_too_late():
                return _report_interrupt(_notes_of(error))
        elif debug:
            raise
        return _report_error(error, arguments)


def _show_warning(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
    """Print a warning of treesql without its place in the code."""
    if issubclass(category, TreesqlWarning):
        kind = "warning: nothing found" if issubclass(category, NothingFound) else "warning"
        click.echo(f"{kind}: {message}", err=True)
    else:
        sys.stderr.write(warnings.formatwarning(message, category, *place[:2]))


def _report_error(error: BaseException, arguments: list[str]) -> int:
    """Report an error and return the exit code. After a commit only the output can still fail."""
    found = process.as_treesql_error(error)
    if found is None:
        reason = str(error).strip().splitlines() or [""]
        text = f"treesql failed: {type(error).__name__}: {reason[0]}; treesql --debug shows where"
    else:
        text = found.brief if isinstance(found, QueryError) else str(found)
    if isinstance(error, OSError) and error.filename is None:
        discard_output(sys.stdout)
        text = f"standard {text}" + " (the command itself was completed)" * process.came_too_late()
    if not isinstance(found, QueryError | RequestError):
        for argument in arguments:
            if not argument.isprintable():  # a name of several lines
                text = text.replace(argument, argument.encode("unicode_escape").decode())
    click.echo("\n".join([text, *_notes_of(error)]).translate(_ESCAPES), err=True)
    return 2


def _notes_of(error: BaseException) -> list[str]:
    """The notes of an error, and of the one that click has replaced by its own."""
    causes = (error, error.__cause__) if isinstance(error, click.Abort) else (error,)
    return [note for one in causes for note in getattr(one, "__notes__", ())]


def _report_interrupt(notes: Sequence[str] = ()) -> int:
    """Report an interrupt, or that it came after the command was completed; return the exit code."""
    if process.came_too_late():
        click.echo(TOO_LATE, err=True)
        return 0
    number = process.heard() or process.SIGNALS[0]
    if process.begin_to_end():
        click.echo("; ".join([process.INTERRUPTED, *notes]).translate(_ESCAPES), err=True)
    return 128 + int(number)


def _check_streams(arguments: list[str]) -> None:
    """Raises UsageError if standard output is closed, or an argument is not UTF-8."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        raise click.UsageError(CLOSED)
    if sys.stdin is None and "-" in arguments:
        raise click.UsageError("standard input is closed; name a file instead of -")
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError:
            raise click.UsageError(f"the argument {argument!a} is not UTF-8; write it in UTF-8") from None


class _CompilationReport:
    """Compilations of kernels on standard error: a line for the first, and on a terminal, after two seconds, a bar."""

    said = False

    @classmethod
    def update(cls, progress: Progress) -> None:
        """Print what is new."""
        cores = f"{progress.cores} core" + "s" * (progress.cores > 1)
        left = f"{max(round(progress.left), 1)} s"
        if not cls.said:
            one, *of = progress.what.split(" ", 1)
            what = " ".join([one + "s" * (progress.n > 1), *of])
            click.echo(
                f"compiling {progress.n} {what} on {cores}, about {left}; later commands use them again", err=True
            )
            cls.said = True
        if sys.stderr.isatty() and progress.seconds >= SECONDS_WITHOUT_BAR:
            filled = BAR_WIDTH * progress.done // max(progress.n, 1)
            bar = "#" * filled + "-" * (BAR_WIDTH - filled)
            ended = progress.done == progress.n
            state = f"{progress.done} of {progress.n}" + ("" if ended else f", {left} left")
            click.echo(f"\r[{bar}] {state:24}", err=True, nl=ended)
