"""Groups of commands whose commands are the modules of a package, imported when they run."""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from importlib.util import find_spec
from typing import Any, TextIO

import click

from treesql.cli._numbers import with_plain_numbers
from treesql.errors import TreesqlWarning, UnknownName, UsageError


class Group(click.Group):
    """Refuses repeated options that take one value, of which click would keep the last.

    Flags and options with several values may be repeated.
    """

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


class LazyGroup(Group):
    """Finds `command` in every module of `package` whose name has no leading underscore; a package is a group.

    Modules are imported when their command is used.
    """

    def __init__(self, *args: Any, package: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.package = package

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. A closed pipe (`| head`) is the normal end of output."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            discard_output(sys.stdout)
            return None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands."""
        import pkgutil  # here, for only help and errors list commands

        path = importlib.import_module(self.package).__path__
        return sorted(module.name for module in pkgutil.iter_modules(path) if not module.name.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, or None."""
        module = f"{self.package}.{cmd_name}"
        if not cmd_name.isidentifier() or cmd_name.startswith("_") or find_spec(module) is None:
            return None
        command = importlib.import_module(module).command
        assert isinstance(command, click.Command)
        return complete(command)


def complete(command: click.Command) -> click.Command:
    """Add to a command what all commands have: plain numbers and, unless it is a group, `--quiet`; return it."""
    if not isinstance(command, click.Group) and not any(param.name == "quiet" for param in command.params):
        command.params.append(_QuietOption())
    return with_plain_numbers(command)


class _QuietOption(click.Option):
    """`--quiet`: no warnings of treesql while a command runs."""

    def __init__(self) -> None:
        super().__init__(
            ["--quiet"], is_flag=True, expose_value=False, callback=_ignore_warnings, help="Print no warnings."
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
