"""The command line. The modules of this package have the commands by subject, and are imported when one runs.

Commands parse options, call the front door, `treesql`, and print what it returns. Here is what all have: groups that
find them, plain numbers in options, and one line for every error.
"""

from __future__ import annotations

import importlib
import math
import os
import re
import sys
import textwrap
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TextIO

import click
from click.types import FloatParamType, IntParamType

from treesql import Progress, process, when_compiling
from treesql._version import __version__
from treesql.errors import NothingFound, QueryError, RequestError, TreesqlWarning, UnknownName, UsageError

WHOLE_HELP = "treesql.whole_help"
"""The key, in what a context knows, of whether its help describes all options: `--help --all`."""


class Option(click.Option):
    """An option. further: only `--help --all` describes it; brief: what `--help` says of it instead of `help`."""

    def __init__(self, *args: Any, further: bool = False, brief: str | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.further = further
        self.brief = brief

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Its names, and what it is for."""
        record = super().get_help_record(ctx)
        return (record[0], self.brief) if record and self.brief and not ctx.meta.get(WHOLE_HELP) else record


further_option = partial(click.option, cls=Option, further=True)
"""Declares an option that only `--help --all` describes."""


class Command(click.Command):
    """A command whose help begins with examples, and names the options that few need: `--help --all` describes them.

    examples: arguments, written as on a command line in a folder with the fixtures.
    """

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = examples

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; `--all` is of `--help`, unless the command has such an option."""
        own = any("--all" in param.opts for param in self.params)
        if "--all" in args and not set(args).isdisjoint(ctx.help_option_names):
            ctx.meta[WHOLE_HELP] = True
            args = args if own else [argument for argument in args if argument != "--all"]
        return super().parse_args(ctx, args)

    def get_short_help_str(self, limit: int = 45) -> str:
        """What it does, for a list of commands: its first sentence, without details if they exceed the limit."""
        paragraph = " ".join((self.short_help or self.help or "").partition("\n\n")[0].split())
        sentence = paragraph.partition(". ")[0].removesuffix(".")
        brief = re.split(", a row per|: ", sentence, maxsplit=1)[0] if len(sentence) >= limit else sentence
        return brief if brief.endswith("?") else f"{brief}."

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what it does, and the examples."""
        super().format_help_text(ctx, formatter)
        write_commands(formatter, "Examples", [f"{ctx.command_path} {example}" for example in self.examples])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, and the names of those that few need."""
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        left_out = [] if ctx.meta.get(WHOLE_HELP) else [o for o in options if isinstance(o, Option) and o.further]
        shown = [option.get_help_record(ctx) for option in options if option not in left_out]
        with formatter.section("Options"):
            formatter.write_dl([record for record in shown if record is not None])
        if left_out:
            with formatter.section("More options, described by --help --all"):
                names = ", ".join(max(option.opts, key=len) for option in left_out)
                indent = " " * formatter.current_indent
                filled = textwrap.wrap(
                    names, formatter.width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
                )
                formatter.write("".join(f"{line}\n" for line in filled))


def write_commands(formatter: click.HelpFormatter, title: str, lines: Sequence[str]) -> None:
    """Write commands below a title, a line each, however long: they can be copied. Nothing where there are none."""
    if lines:
        with formatter.section(title):
            formatter.write("".join(f"{'':{formatter.current_indent}}{line}\n" for line in lines))


class Group(click.Group):
    """Refuses repeated options that take one value, of which click would keep the last.

    Flags and options with several values may be repeated.
    """

    command_class = Command

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Add a command, with what all have."""
        super().add_command(complete(cmd), name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command. Raises UnknownName; UsageError for a file in its place, or for a repeated option."""
        if not ctx.resilient_parsing and args[0][:1] not in ("", "-") and self.get_command(ctx, args[0]) is None:
            if os.path.exists(args[0]):
                commands = ", ".join(self.list_commands(ctx))
                raise UsageError(f"{args[0]} is a file; write before it what {ctx.command_path} is to do: {commands}")
            what = "command" if ctx.parent is None else f"command of {ctx.command_path}"
            raise UnknownName(what, args[0], self.list_commands(ctx))
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None and not ctx.resilient_parsing:
            _check_repeated(command, click.Context(command, ctx, name, resilient_parsing=True), rest)
        return name, command, rest


def complete(command: click.Command) -> click.Command:
    """Add to a command what all commands have: plain numbers and, unless it is a group, `--quiet`; return it."""
    if not isinstance(command, click.Group) and not any(param.name == "quiet" for param in command.params):
        command.params.append(_QuietOption())
    return with_plain_numbers(command)


class _QuietOption(Option):
    """`--quiet`: no warnings of treesql while a command runs."""

    def __init__(self) -> None:
        super().__init__(
            ["--quiet"],
            is_flag=True,
            expose_value=False,
            callback=_ignore_warnings,
            help="Print no warnings.",
            further=True,
        )


def _ignore_warnings(ctx: click.Context, option: click.Parameter, quiet: bool) -> None:
    if quiet and not ctx.resilient_parsing:
        warnings.simplefilter("ignore", TreesqlWarning)


def discard_output(stream: TextIO) -> None:
    """Discard everything that is written to a stream from now on."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _check_repeated(command: click.Command, ctx: click.Context, args: list[str]) -> None:
    """Raises UsageError for the first repeated option that takes one value."""
    parser = command.make_parser(ctx)
    try:
        _, _, given = parser.parse_args(list(args))
    except click.UsageError:
        return  # reported when click parses the arguments again
    for option in dict.fromkeys(given):
        times = given.count(option)
        if times > 1 and isinstance(option, click.Option) and not (option.multiple or option.is_flag or option.count):
            often = "twice" if times == 2 else f"{times} times"
            written = [name for name in option.opts if any(arg == name or arg.startswith(f"{name}=") for arg in args)]
            raise UsageError(f"{(written or option.opts)[-1]} is given {often}; it takes one value, so give it once")


MAX_SIZE = 1 << 63
"""Numbers of this size or more fit no integer of an engine; larger ones are as good as infinite."""


class _Plain:
    """Refuses underscores, all characters but ASCII, and what is not finite or too large."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number. Raises BadParameter."""
        if isinstance(value, str) and (not value.isascii() or "_" in value):
            raise click.BadParameter(f"{value!r} is not a number; write it in digits, such as 10 or 0.5", ctx, param)
        number = super().convert(value, param, ctx)  # type: ignore[misc]
        if isinstance(number, int) and abs(number) >= MAX_SIZE:
            raise click.BadParameter(f"{value} is too large a number", ctx, param)
        if not math.isfinite(number):
            raise click.BadParameter(f"{value!r} is not a finite number", ctx, param)
        return number


class _PlainFloat(_Plain, FloatParamType): ...


class _PlainInt(_Plain, IntParamType): ...


class _PlainFloatRange(_Plain, click.FloatRange): ...


class _PlainIntRange(_Plain, click.IntRange): ...


_PLAIN: dict[type, Any] = {
    FloatParamType: _PlainFloat,
    IntParamType: _PlainInt,
    click.FloatRange: _PlainFloatRange,
    click.IntRange: _PlainIntRange,
}


def with_plain_numbers(command: click.Command) -> click.Command:
    """Make the numeric options of a command refuse all but plain numbers; return the command."""
    for param in command.params:
        plain = _PLAIN.get(type(param.type))
        if plain:
            original, param.type = param.type, plain.__new__(plain)
            vars(param.type).update(vars(original))
    return command


CLOSED = "standard output is closed; send it to a file or a pipe, or to /dev/null"
_ESCAPES = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}
"""How errors, which cite files, show characters that control a terminal."""

SECONDS_WITHOUT_BAR, SECONDS_BETWEEN_BARS, BAR_WIDTH = 2.0, 0.2, 30
"""Seconds of a compilation, or of other work, before a terminal shows a bar, those until it changes, its characters."""

ERASE_LINE = "\x1b[K"
"""Erases what is right of the cursor on a terminal."""

TOO_LATE = "the signal came too late: this was done"


COMMANDS = {
    "align": "alignments", "check": "databases", "cite": "catalogue", "compare": "scores", "compile": "catalogue",
    "correlate": "treebanks", "diff": "treebanks", "drop": "databases", "export": "databases", "find": "search",
    "info": "databases", "lattice": "lattices", "load": "databases", "nbest": "lattices", "queries": "catalogue",
    "report": "scores", "score": "scores", "serve": "catalogue", "show": "search", "sql": "catalogue",
    "stats": "treebanks", "typology": "treebanks", "wde": "treebanks",
}  # fmt: skip
"""Modules of this package by the commands that they have, each as a function `NAME_command`."""


class Commands(Group):
    """All commands. Warnings of treesql are a line each on standard error."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, or None."""
        if cmd_name not in COMMANDS:
            return None
        command = getattr(importlib.import_module(f"{__name__}.{COMMANDS[cmd_name]}"), f"{cmd_name}_command")
        assert isinstance(command, click.Command)
        return complete(command)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what it does, and a command for each of the first jobs."""
        from treesql import tasks

        super().format_help_text(ctx, formatter)
        jobs = [entry for entry in tasks() if entry.job]
        width = max(len(entry.job) for entry in jobs)
        write_commands(formatter, "First steps", [f"{entry.job:{width}}  {entry.command}" for entry in jobs])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. A closed pipe (`| head`) is the normal end of output."""
        with warnings.catch_warnings(), process.of_command_line():
            warnings.simplefilter("always", TreesqlWarning)
            warnings.showwarning = _show_warning
            try:
                return super().invoke(ctx)
            except BrokenPipeError:
                discard_output(sys.stdout)
                return None
            except KeyboardInterrupt as error:  # for which click would print an empty line
                raise click.Abort from error


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
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
        with _StepReport().shown():
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
        over_bar = f"\r{ERASE_LINE}" if sys.stderr.isatty() else ""
        click.echo(f"{over_bar}{kind}: {message}", err=True)
    else:
        sys.stderr.write(warnings.formatwarning(message, category, *place[:2]))


def _report_error(error: BaseException, arguments: list[str]) -> int:
    """Report an error and return the exit code. After a commit only the output can still fail."""
    known_error = process.as_treesql_error(error)
    if known_error is None:
        reason = str(error).strip().splitlines() or [""]
        text = f"treesql failed: {type(error).__name__}: {reason[0]}; treesql --debug shows where"
    else:
        text = known_error.brief if isinstance(known_error, QueryError) else str(known_error)
    if isinstance(error, OSError) and error.filename is None:
        discard_output(sys.stdout)
        text = f"standard {text}" + " (the command itself was completed)" * process.came_too_late()
    if not isinstance(known_error, QueryError | RequestError):
        for argument in arguments:
            if not argument.isprintable():  # a name of several lines
                text = text.replace(argument, argument.encode("unicode_escape").decode())
    click.echo("\n".join([text, *_notes_of(error)]).translate(_ESCAPES), err=True)
    return 2


def _notes_of(error: BaseException) -> list[str]:
    """The notes of an error, and of the one that click has replaced by its own."""
    causes = (error, error.__cause__) if isinstance(error, click.Abort) else (error,)
    return [note for cause in causes for note in getattr(cause, "__notes__", ())]


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

    said, goes_on = False, False

    @classmethod
    def update(cls, progress: Progress) -> None:
        """Print what is new."""
        cls.goes_on = progress.done < progress.n
        cores = f"{progress.cores} core" + "s" * (progress.cores > 1)
        left = f"{max(round(progress.left), 1)} s"
        if not cls.said:
            first, *others = progress.what.split(" ", 1)
            what = " ".join([first + "s" * (progress.n > 1), *others])
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


class _StepReport:
    """What a command works on, on standard error: on a terminal, from its second second on, until the work ends."""

    def __init__(self) -> None:
        self._began, self._drawn_at, self._drawn = time.monotonic(), 0.0, ""
        self._drawing, self._ended = threading.Lock(), threading.Event()

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show the work of the block, if standard error is a terminal: a thread does while the work tells nothing."""
        if not sys.stderr.isatty():
            yield
            return
        process.when_done[:] = [self.update]
        threading.Thread(target=self._go_on, daemon=True).start()
        try:
            yield
        finally:
            self._ended.set()
            process.when_done.clear()
            with self._drawing:
                self._draw("")

    def update(self) -> None:
        """Show how much of the work is done, and about how long the rest takes; nothing once it has ended."""
        moment = time.monotonic()
        with self._drawing:
            progress = process.now()
            if progress is None or self._ended.is_set():
                self._draw("")
            elif _CompilationReport.goes_on:
                self._drawn = ""
            elif moment - self._began >= SECONDS_WITHOUT_BAR and moment - self._drawn_at >= SECONDS_BETWEEN_BARS:
                self._drawn_at = moment
                self._draw(describe_steps(progress if progress.n else progress._replace(seconds=moment - self._began)))

    def _go_on(self) -> None:
        while not self._ended.wait(SECONDS_BETWEEN_BARS):
            self.update()

    def _draw(self, line: str) -> None:
        if line != self._drawn:
            self._drawn = line
            click.echo(f"\r{ERASE_LINE}{line}", err=True, nl=False)


def describe_steps(progress: process.Steps) -> str:
    """A line for a terminal: a bar and about how long the rest takes where that is known, else how long it has run."""
    taken = f"{progress.seconds:.0f} s"
    if not progress.n:
        return f"{progress.done:.0f} {progress.what}, {taken}" if progress.done else f"working, {taken}"
    filled = int(BAR_WIDTH * progress.done / progress.n)
    left = taken if progress.left is None else f"about {max(round(progress.left), 1)} s left"
    done = f"{int(progress.done)} of {math.ceil(progress.n)} {progress.what}"
    return f"[{'#' * filled}{'-' * (BAR_WIDTH - filled)}] {done}, {left}"


def describe_usage(error: click.ClickException) -> str:
    """An error of click as one line: what is wrong, and the command whose help shows what is right."""
    context = getattr(error, "ctx", None)
    help_of = f"; see `{context.command_path} --help`" if context is not None else ""
    if isinstance(error, click.NoSuchOption) and context is not None:
        arguments = [param for param in context.command.get_params(context) if isinstance(param, click.Argument)]
        if error.option_name in ("-o", "--output") and any(argument.name == "out" for argument in arguments):
            written = " ".join(argument.make_metavar(context) for argument in arguments)
            return f"unknown option {error.option_name!r}; OUT is an argument: `{context.command_path} {written}`"
        if not error.option_name.startswith("--") and _takes_arguments(context):
            hint = f"an argument that begins with - stands after --, as in `{context.command_path} ... -- -NONE-`"
            return f"unknown option {error.option_name!r}; {hint}"
        near = str(UnknownName("option", error.option_name, _names_of_options(context)))
        return near if "did you mean" in near else f"unknown option {error.option_name!r}{help_of}"
    what = " ".join(error.format_message().split()).rstrip(".")
    if (
        what.startswith("Got unexpected extra argument")
        and context is not None
        and "--corpus" in _names_of_options(context)
    ):
        help_of = f"; a corpus of a database is named with --corpus, and several files are loaded into one{help_of}"
    return f"{what[:1].lower()}{what[1:]}{help_of}"


def _takes_arguments(context: click.Context) -> bool:
    """Whether a command has arguments, which may begin with a dash."""
    return any(isinstance(parameter, click.Argument) for parameter in context.command.get_params(context))


def _names_of_options(context: click.Context) -> list[str]:
    """The names of a command's options, as they are written."""
    params = context.command.get_params(context)
    return [
        name
        for parameter in params
        if isinstance(parameter, click.Option)
        for name in (*parameter.opts, *parameter.secondary_opts)
    ]
