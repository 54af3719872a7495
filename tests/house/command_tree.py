"""All commands by their names, and the pages of the documentation."""

from __future__ import annotations

from functools import cache

import click

from tests.conftest import ROOT
from treesql.cli import group

MADE = ROOT / "docs" / "reference"
"""What a build of the site makes."""

PROSE = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(page for page in (ROOT / "docs").rglob("*.md") if MADE not in page.parents),
]


@cache
def commands() -> dict[str, click.Command]:
    """Every command by its full name."""
    found: dict[str, click.Command] = {}

    def walk(prefix: str, command: click.Command) -> None:
        if isinstance(command, click.Group):
            with click.Context(command) as context:
                for name in command.list_commands(context):
                    child = command.get_command(context, name)
                    assert child is not None
                    walk(f"{prefix} {name}", child)
        else:
            found[prefix] = command

    walk("treesql", group)
    return found
