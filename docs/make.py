"""Write the reference pages: python docs/make.py."""

from __future__ import annotations

from pathlib import Path

import click

from treesql import catalog, tables
from treesql.cli import group


def commands() -> str:
    """The reference page of the commands, from their help."""
    parts = ["# Commands", "", "Made from each command's `--help`.", ""]

    def walk(name: str, command: click.Command) -> None:
        with click.Context(command, info_name=name, max_content_width=100) as context:
            if isinstance(command, click.Group):
                for child in command.list_commands(context):
                    found = command.get_command(context, child)
                    assert found is not None
                    walk(f"{name} {child}", found)
            else:
                parts.extend([f"## {name}", "", "```text", command.get_help(context).rstrip(), "```", ""])

    walk("treesql", group)
    return "\n".join(parts)


PAGES = {"tables.md": tables.reference, "queries.md": catalog.reference, "commands.md": commands}

if __name__ == "__main__":
    for page, make in PAGES.items():
        (Path(__file__).parent / page).write_text(make(), "utf-8")
