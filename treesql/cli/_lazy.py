"""A group whose commands are the modules of a package, imported when they are needed."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import click

from treesql.cli._numbers import with_plain_numbers


class LazyGroup(click.Group):
    """Finds `command` in every module of `package` whose name has no leading underscore; a package is a group."""

    def __init__(self, *args: Any, package: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.package = package

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
