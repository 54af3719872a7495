"""A group whose commands are the modules of a package, imported when they are needed."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from typing import Any, TextIO

import click

from treesql.cli._numbers import with_plain_numbers


class LazyGroup(click.Group):
    """Finds `command` in every module of `package` whose name has no leading underscore; a package is a group."""

    def __init__(self, *args: Any, package: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.package = package

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Whoever reads may stop reading, `| head`: nothing more is written, and that is no error."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            let_go(sys.stdout)
            return None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands."""
        path = importlib.import_module(self.package).__path__
        return sorted(module.name for module in pkgutil.iter_modules(path) if not module.name.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """One command, None where there is none of that name."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command = importlib.import_module(f"{self.package}.{cmd_name}").command
        assert isinstance(command, click.Command)
        return with_plain_numbers(command)


def let_go(stream: TextIO) -> None:
    """Whatever is still to be written to a stream is not."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
